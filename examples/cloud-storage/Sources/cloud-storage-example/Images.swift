// Images with a placeholder and a cache, as FirebaseUI has them for views.

import CloudStorage
import Foundation

/// A loader that keeps images in memory, and up to 64 MiB of them for a day in a folder.
func imageLoader(cachingIn folder: URL) -> StorageImageLoader {
  StorageImageLoader(
    cache: StorageCache(folder: folder, limits: StorageCache.Limits(size: 64 << 20, age: .seconds(86_400))))
}

/// Something that shows a picture: here it only counts its bytes.
func picture(
  _ loader: StorageImageLoader, show: @escaping @Sendable (_ bytes: Int, _ isPlaceholder: Bool) -> Void
) -> StorageImageConsumer {
  StorageImageConsumer(loader: loader) { event in
    switch event {
    case .placeholder(let data): show(data.count, true)
    case .image(let image): show(image.data.count, false)
    }
  }
}

/// Shows the placeholder at once and the image when it is there; a second call takes the place of the first.
func show(_ reference: StorageReference, in picture: StorageImageConsumer, placeholder: Data) async throws {
  try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
    picture.setImage(with: reference, placeholder: placeholder) { result in
      continuation.resume(with: result.map { _ in })
    }
  }
}
