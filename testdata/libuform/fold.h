/** The fold `unicode-15.0` of the checkpoint page: letter case, equivalent characters, white space,
 *  runs of punctuation. */
#pragma once

#include <stddef.h> // `size_t`
#include <stdint.h> // `uint32_t`

/** Bytes of working memory for texts of up to `length` bytes. */
size_t fold_room(size_t length);

/**
 *  Folds a text of up to the length that the room was taken for, and is how many bytes are left of
 *  it. They lie in the room's beginning. Where @p places is not `NULL`, it becomes the place in the
 *  room where it stands, for each byte of the text, which byte of the folded one it went to; 0 for
 *  all where nothing is left.
 */
size_t fold_text(unsigned char const *text, size_t length, unsigned char *room, uint32_t const **places);
