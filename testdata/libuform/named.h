/** Whether a number is one that the header names: its numbers may have gaps, and any order. */
#pragma once

#include <stdbool.h> // `bool`

#include "../../abi/uform.h"

static inline bool scalar_named(uform_scalar_t scalar) {
    switch ((int)scalar) {
    case uform_scalar_unknown_k:
    case uform_scalar_f32_k:
    case uform_scalar_f64_k:
    case uform_scalar_f16_k:
    case uform_scalar_i8_k:
    case uform_scalar_b1_k:
    case uform_scalar_bf16_k:
    case uform_scalar_e5m2_k:
    case uform_scalar_e4m3_k:
    case uform_scalar_u8_k:
    case uform_scalar_e2m3_k:
    case uform_scalar_e3m2_k: return true;
    default: return false;
    }
}

static inline bool modality_named(uform_modality_t modality) {
    switch ((int)modality) {
    case uform_modality_text_k:
    case uform_modality_image_k:
    case uform_modality_video_k:
    case uform_modality_audio_k: return true;
    default: return false;
    }
}
