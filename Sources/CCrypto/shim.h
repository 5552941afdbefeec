// OpenSSL's digests (EVP) and signatures.
#pragma once
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>

// Reads an unencrypted private key in PEM; NULL when it is none. An empty pass phrase is given, because OpenSSL would
// otherwise ask for one at the terminal. The caller frees the key.
static inline EVP_PKEY *ccrypto_private_key(const void *pem, int length) {
  BIO *memory = BIO_new_mem_buf(pem, length);
  if (memory == NULL) return NULL;
  char nothing[1] = "";
  EVP_PKEY *key = PEM_read_bio_PrivateKey(memory, NULL, NULL, nothing);
  BIO_free(memory);
  if (key == NULL) ERR_clear_error();
  return key;
}
