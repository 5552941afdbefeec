// Making references and walking from one to another.

import CloudStorage

/// References from a path and from a URL of each kind; all three are of the same object.
func referencesToStars(in storage: Storage) throws -> [StorageReference] {
  [
    storage.reference(withPath: "images/stars.jpg"),
    storage.reference().child("images").child("stars.jpg"),
    try storage.reference(forURL: "gs://my-app/images/stars.jpg"),
    try storage.reference(forURL: "https://firebasestorage.googleapis.com/b/my-app/o/images%2Fstars.jpg"),
  ]
}

/// The reference that a URL names, in whatever bucket.
func referenceAnywhere(_ url: String) throws -> StorageReference {
  // An app without a bucket of its own takes references into any.
  let app = StorageApp(name: "anywhere", options: StorageOptions(bucket: ""))
  return try Storage.storage(app: app).reference(forURL: url)
}

/// What a reference says about itself, without asking anyone.
func describe(_ reference: StorageReference) -> String {
  """
  bucket: \(reference.bucket)
  path:   \(reference.fullPath)
  name:   \(reference.name)
  folder: \(reference.parent()?.description ?? "none")
  root:   \(reference.root())
  """
}
