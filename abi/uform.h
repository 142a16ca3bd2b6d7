/**
 *  @brief C ABI of UForm: multi-modal encoders, a byte decoder, and a trainer behind one shared
 *         library.
 *  @file uform.h
 *
 *  Everything that this binding knows of libuform is stated here. The public documentation pages
 *  show only parts of the interface, so every declaration carries one of three marks that separate
 *  what is known from what is assumed:
 *
 *  - [seed] a page gives both the name and the meaning;
 *  - [name] a page gives the name; its type, fields or value are ours;
 *  - [ours] no page names it; a page or a sibling library only suggests it.
 *
 *  Conventions, all of which a binding may rely on:
 *
 *  - Every fallible entry point returns `void`, takes one argument struct named after itself (some
 *    `_vram` ones take that of their host sibling), and reports through `outcome`. One that cannot
 *    fail takes its arguments directly.
 *  - A zero-initialized field means its default: `NULL` executor is the calling thread, `0` scalar
 *    is the model's own, `0` threads is every core, a `NULL` output is not written, a `NULL`
 *    outcome makes the call block and drops its result. Exceptions are marked @b Required.
 *  - Fields named `reserved` must be zero and are refused otherwise, so that a later version may
 *    give them a meaning. Within one major version no struct grows or reorders: a new setting takes
 *    a `reserved` field or a new verb.
 *  - Entry points marked @b Optional may be absent from a library; a binding loads without them.
 *  - Fields run handle, executor, outcome, completion, scalar, inputs, settings, progress, arena,
 *    outputs - in C++20 order too. Every verb with a `completion` starts with those five,
 *    `reserved` standing in for a scalar it lacks.
 *  - Layout is natural and the same in every leaf's order: pointers and `size_t` are one word,
 *    32-bit fields come in pairs, 64-bit ones sit on multiples of eight also where a word is four
 *    bytes, whether the ABI asks for it (armhf, Win32) or not (i386, Go). Nothing is padded
 *    implicitly but the tail of @ref uform_rows_view_t on 64-bit targets.
 *  - Enumerations are 32 bits wide. Reports hold neither words nor pointers, so they have one
 *    layout everywhere.
 *  - `stride` is in bytes, `columns` in scalars, tape offsets in tape elements, `count` in batch
 *    items.
 *  - Nothing is retained past a blocking call. A deferred call uses its argument struct, outcome,
 *    inputs and the views it fills until it is final, so all of them must stay where they are.
 */
#ifndef UNUM_UFORM_H
#define UNUM_UFORM_H

#include <stdbool.h> // `bool`
#include <stddef.h>  // `size_t`, `NULL`
#include <stdint.h>  // `int32_t`, `uint64_t`

#ifdef __cplusplus
extern "C" {
#endif

#if !defined(UFORM_API)
#if defined(_WIN32) || defined(__CYGWIN__)
#if defined(UFORM_BUILD_SHARED)
#define UFORM_API __declspec(dllexport)
#else
#define UFORM_API __declspec(dllimport)
#endif
#elif defined(__GNUC__) || defined(__clang__)
#define UFORM_API extern __attribute__((visibility("default")))
#else
#define UFORM_API extern
#endif
#endif

/**
 *  Version of this header; compare the major one against @ref uform_version_major before the first
 *  call. [ours]
 */
#define UFORM_VERSION_MAJOR 4
#define UFORM_VERSION_MINOR 0
#define UFORM_VERSION_PATCH 0

/* -------------------- Errors ------------------------------------------------------------------ */

/**
 *  @brief The outcome of a call, or that it is not final yet. Zero is success, every failure is
 *         negative, and the only positive value marks a call that is not final. Values are fixed,
 *         so a binding may hard-code them. [name: values are ours]
 */
typedef enum uform_status_t {
    /** The call is final and its outputs are valid. [seed] */
    uform_status_success_k = 0,
    /** The call was submitted and is not final. Never the status of a finished call. [seed] */
    uform_status_deferred_k = 1,
    /** A failure that this build has no name for. [ours] */
    uform_status_unknown_k = -1,
    /**
     *  A `NULL`, out-of-range or self-aliasing argument, such as an input inside the arena being
     *  rewound. [seed]
     */
    uform_status_invalid_argument_k = -2,
    /** Host pages or device memory ran out; neither falls back to the other. [seed] */
    uform_status_out_of_memory_k = -3,
    /** Another call holds the executor or the arena. [seed] */
    uform_status_contended_k = -4,
    /**
     *  The executor computes elsewhere than the arena or model lives, or is not the GPU arena's
     *  maker; `NULL` counts as host pages. [seed for arenas, ours for models and trainers]
     */
    uform_status_device_k = -5,
    /**
     *  The model, build or machine has no such facility, such as a model without the byte decoder.
     *  [name]
     */
    uform_status_unsupported_k = -6,
    /** Bytes that do not decode: a media file, a text that is not UTF-8, a checkpoint. [name] */
    uform_status_malformed_k = -7,
    /** An item whose length disagrees with its declared shape. [name] */
    uform_status_shape_mismatch_k = -8,
    /** The progress callback asked to stop. [ours: the pages say "cancelled" without a name] */
    uform_status_cancelled_k = -9,
    /** A path could not be opened, read or written. [ours] */
    uform_status_io_k = -10,
    /** Another process of a training run has left, or disagrees. [ours] */
    uform_status_peer_k = -11,
    /**
     *  Binding-only: no shared library to load, or another major version. Never written by the
     *  library. [ours]
     */
    uform_status_library_missing_k = -100,
    /** Binding-only: the loaded library lacks a symbol. Never written by the library. [ours] */
    uform_status_symbol_missing_k = -101,
} uform_status_t;

/**
 *  @brief Static English text for @p status. Never `NULL`, never allocates. [ours] @b Optional.
 *  @param[in] status Any value; one this build does not name reads as the unknown text.
 */
UFORM_API char const *uform_status_to_string(uform_status_t status);

/**
 *  @brief Where a call writes its result. Reusable once it is final. [name: fields are ours past
 *         `status`]
 *
 *  A call overwrites every field and ignores what they held, so a caller may plant a status of its
 *  own to notice a library that never writes one. One outcome belongs to one unfinished call at a
 *  time.
 *
 *  A blocking call leaves it final, so `status` may be read directly. A deferred call sets it
 *  before the verb returns, to `uform_status_deferred_k` or to what is known at once, and finishes
 *  it from another thread: it is read through @ref uform_outcome_status, the other fields and the
 *  outputs only after @ref uform_outcome_wait. Any caller that finds `uform_status_deferred_k` has
 *  to wait, whichever verb wrote it.
 */
typedef struct uform_outcome_t {
    /** Final once it leaves `uform_status_deferred_k`. [seed] */
    uform_status_t status;
    /** Index of the batch item at fault, or -1 when no single item is. Zero on success. [ours] */
    int32_t item;
    /**
     *  NUL-terminated text on the cause, or `NULL`. The library's own: valid until it is unloaded,
     *  never freed by the caller. A library that names details, such as the tensor at fault, keeps
     *  a bounded set of such texts and falls back to a static one past it. [ours]
     */
    char const *message;
    /** The library's own, an address or an index; zero once final. [ours] */
    uintptr_t call;
} uform_outcome_t;

/**
 *  @brief The outcome's status, read with acquire ordering and without blocking. [name]
 *  @param[in] outcome May be `NULL`, which reads as `uform_status_invalid_argument_k`.
 */
UFORM_API uform_status_t uform_outcome_status(uform_outcome_t const *outcome);

/**
 *  @brief Blocks without spinning until the call is final, then returns its status. [name]
 *  @param[inout] outcome May be `NULL`, for which it returns `uform_status_invalid_argument_k`.
 *
 *  Callable from any one thread, not only the submitting one, and returns at once on a final
 *  outcome, however often it is called. Where an executor owns no threads, the waiting thread runs
 *  the call.
 */
UFORM_API uform_status_t uform_outcome_wait(uform_outcome_t *outcome);

/**
 *  @brief Reports the progress of a call, and lets the caller stop it. [name: signature is ours]
 *  @param[in] finished Units done so far, never above @p total.
 *  @param[in] total Units in the whole call.
 *  @param[in] state The `progress_state` of the argument struct.
 *  @return `true` to go on, `false` to cancel the call soon after.
 *
 *  May run on any thread, the library's own included, but on one at a time for a call. Must not
 *  call into the library with the executor, the arena or the outcome of that call, and must not
 *  unwind through it.
 */
typedef bool (*uform_progress_callback_t)(size_t finished, size_t total, void *state);

/* -------------------- Types ------------------------------------------------------------------- */

/**
 *  Scalar kinds, numbered as `usearch_scalar_kind_t`, so an index takes the rows unchanged. [name:
 *  values are ours]
 */
typedef enum uform_scalar_t {
    /** The library's own choice in an argument; never the kind of an output. */
    uform_scalar_unknown_k = 0,
    uform_scalar_f32_k = 1,
    uform_scalar_f64_k = 2,
    uform_scalar_f16_k = 3,
    uform_scalar_i8_k = 4,
    uform_scalar_b1_k = 5,
    uform_scalar_bf16_k = 6,
    uform_scalar_e5m2_k = 7,
    uform_scalar_e4m3_k = 8,
    uform_scalar_u8_k = 9,
    uform_scalar_e2m3_k = 10,
    uform_scalar_e3m2_k = 11,
} uform_scalar_t;

/**
 *  The modality of an item. Masks over modalities set bit `1u << modality`. [name: values are ours]
 */
typedef enum uform_modality_t {
    uform_modality_text_k = 0,
    uform_modality_image_k = 1,
    uform_modality_video_k = 2,
    uform_modality_audio_k = 3,
} uform_modality_t;

/** The kind of memory that something is placed in. [seed: names; values are ours] */
typedef enum uform_residency_t {
    /** Host pages. */
    uform_residency_ram_k = 0,
    /** The memory of one device. */
    uform_residency_vram_k = 1,
} uform_residency_t;

/** How idle threads or streams wait for the next call. [seed: names and values] */
typedef enum uform_mood_t {
    /** Give the core back and sleep; waking up costs the next call some latency. */
    uform_mood_parked_k = 0,
    /** Keep polling, so the next call starts soonest, at the price of a busy core. */
    uform_mood_spinning_k = 1,
} uform_mood_t;

/** Whether the calling thread takes a share of the work, as in ForkUnion. [ours] */
typedef enum uform_caller_exclusivity_t {
    /**
     *  The caller works too, so `threads == 1` owns no thread and holds a deferred call until it is
     *  waited for.
     */
    uform_caller_inclusive_k = 0,
    /** The caller does no work, so deferred calls run on the executor's threads. */
    uform_caller_exclusive_k = 1,
} uform_caller_exclusivity_t;

/** When a verb returns. [name: the pages' blocking and deferring receivers; the C form is ours] */
typedef enum uform_completion_t {
    /** Once the call is final. */
    uform_completion_blocking_k = 0,
    /**
     *  Once it is submitted to an executor. Without an outcome that would report the end, the call
     *  blocks.
     */
    uform_completion_deferring_k = 1,
} uform_completion_t;

/** The memory that holds the variable-size outputs of calls. [seed] */
typedef struct uform_arena_handle_t *uform_arena_t;
/** The threads or streams calls run on, together with their working memory. [name] */
typedef struct uform_executor_handle_t *uform_executor_t;
/** Weights and their packed copies. [name] */
typedef struct uform_model_handle_t *uform_model_t;
/** A training run's weights, gradients and optimizer state. [name] */
typedef struct uform_trainer_handle_t *uform_trainer_t;

/**
 *  @brief Ragged input in Apache Arrow's layout, one buffer of elements and one of boundaries.
 *         [seed: `data`, offsets and their count; types are ours]
 *
 *  It carries no length; the verb's `count` does. Offsets count elements - bytes for texts, files
 *  and pixels, `float` for samples - never decrease, and need not start at zero. Both may be `NULL`
 *  for a zero `count`.
 */
typedef struct uform_tape_view_t {
    /** First element of the tape; element type set by the verb. */
    void const *data;
    /** `count + 1` offsets, in host memory on every executor. */
    size_t const *offsets;
} uform_tape_view_t;

/** One row per item, packed by the call into its arena. [seed: names; types are ours] */
typedef struct uform_rows_view_t {
    /** First scalar of the first row, `NULL` after a call that failed or was cancelled. */
    void const *data;
    /** Bytes between the starts of consecutive rows. */
    size_t stride;
    /** Scalars per row. */
    size_t columns;
    /** Kind of every scalar, never `uform_scalar_unknown_k` where `data` is set. */
    uform_scalar_t scalar;
} uform_rows_view_t;

/** Ragged rows: item `i` holds rows `[offsets[i], offsets[i + 1])`. [name: layout is ours] */
typedef struct uform_rows_tape_view_t {
    /** All rows, end to end. */
    uform_rows_view_t rows;
    /** `count + 1` row offsets, starting at zero; device memory where the rows are. */
    size_t const *offsets;
} uform_rows_tape_view_t;

/** Where an arena's outputs are. [seed] */
typedef struct uform_arena_description_t {
    /** Host pages, or one device's memory. */
    uform_residency_t residency;
    /** Index into what @ref uform_gpu_devices lists, or -1 on the host. */
    int32_t device;
} uform_arena_description_t;

/* -------------------- Library ----------------------------------------------------------------- */

/**
 *  Version of the loaded library; one of another major version has another layout. [ours]
 *  @b Optional.
 */
UFORM_API int uform_version_major(void);
/** Minor version, which only adds entry points. [ours] @b Optional. */
UFORM_API int uform_version_minor(void);
/** Patch version. [ours] @b Optional. */
UFORM_API int uform_version_patch(void);

/**
 *  @brief The layout the library was compiled with, so a loader can compare its own. [ours]
 *         @b Optional.
 *  @param[in] name NUL-terminated: a type for its size, as in "uform_outcome_t", or a type and a
 *             field for the offset, as in "uform_outcome_t.status".
 *  @return Bytes, or `SIZE_MAX` for a `NULL` or unknown name.
 */
UFORM_API size_t uform_layout_of(char const *name);

/**
 *  Positions of bits in the masks of @ref uform_capabilities; the low ones are StringZilla's.
 *  [ours]
 */
typedef enum uform_capability_t {
    uform_capability_serial_k = 0,
    uform_capability_parallel_k = 2,
    uform_capability_cuda_k = 21,
    uform_capability_numa_k = 32,
    uform_capability_rocm_k = 33,
    uform_capability_metal_k = 34,
    uform_capability_image_files_k = 40,
    uform_capability_video_files_k = 41,
    uform_capability_audio_files_k = 42,
    uform_capability_training_k = 43,
} uform_capability_t;

/**
 *  @brief The capabilities of this binary and of this machine; those in both can be used. [ours]
 *         @b Optional.
 *  @param[out] compiled Mask of `1ull << uform_capability_t`, or `NULL`.
 *  @param[out] detected Likewise; a GPU that cannot be enumerated only drops its own bits.
 */
UFORM_API void uform_capabilities(uint64_t *compiled, uint64_t *detected);

/* -------------------- Executors --------------------------------------------------------------- */

/** One GPU as UForm numbers it. [name: fields are ours] */
typedef struct uform_gpu_device_t {
    /** UForm ordinal, equal to the entry's index. */
    int32_t device;
    /** The vendor runtime's ordinal, which DLPack and the CUDA Array Interface use. */
    int32_t vendor_ordinal;
    /** Installed and currently free device memory, in bytes. */
    uint64_t memory_bytes, memory_free_bytes;
    /** NUL-terminated product name, clipped to fit. */
    char name[64];
} uform_gpu_device_t;

/** @sa uform_gpu_devices */
typedef struct uform_gpu_devices_t {
    /** Output for the outcome. */
    uform_outcome_t *outcome;
    /** Caller's array for up to `capacity` entries, `NULL` to only count. */
    uform_gpu_device_t *devices;
    /** Entries `devices` can hold. */
    size_t capacity;
    /** Output for the number of GPUs on this machine, which may exceed `capacity`. @b Required. */
    size_t *count;
} uform_gpu_devices_t;

/**
 *  @brief Lists GPUs in UForm order. A machine without any succeeds with a zero count. [name]
 *         @b Optional.
 */
UFORM_API void uform_gpu_devices(uform_gpu_devices_t *arguments);

/** @sa uform_executor_init */
typedef struct uform_executor_init_t {
    /** Output for the new executor. @b Required. */
    uform_executor_t *executor;
    /** Output for the outcome. */
    uform_outcome_t *outcome;
    /** Bit `i` engages memory domain `i`; zero engages all of them. */
    uint64_t memory_domains;
    /**
     *  Workers, the caller included where it takes part; zero for every core of the chosen domains.
     */
    uint32_t threads;
    /** Whether the calling thread takes a share. */
    uform_caller_exclusivity_t exclusivity;
    /** What idle workers do. */
    uform_mood_t mood;
    uint32_t reserved;
} uform_executor_init_t;

/**
 *  @brief Creates an executor over host threads, whose arenas are host pages on its memory domains.
 *         [ours]
 */
UFORM_API void uform_executor_init(uform_executor_init_t *arguments);

/** @sa uform_executor_init_vram */
typedef struct uform_executor_init_vram_t {
    /** Output for the new executor. @b Required. */
    uform_executor_t *executor;
    /** Output for the outcome. */
    uform_outcome_t *outcome;
    /** UForm ordinals to compute on; arenas live on the first. `NULL` for device zero. */
    int32_t const *devices;
    /** Entries in `devices`; zero for device zero. */
    size_t devices_count;
    /** Streams per device; zero for the default. */
    uint32_t streams;
    /** What idle streams do. */
    uform_mood_t mood;
} uform_executor_init_vram_t;

/**
 *  @brief Creates an executor over GPU streams; its arenas, and so its outputs, stay on the device.
 *         [ours] @b Optional.
 */
UFORM_API void uform_executor_init_vram(uform_executor_init_vram_t *arguments);

/** @sa uform_executor_drain */
typedef struct uform_executor_drain_t {
    /** @b Required. */
    uform_executor_t executor;
    /** Output for the outcome of the drain itself, not of the drained call. */
    uform_outcome_t *outcome;
} uform_executor_drain_t;

/**
 *  @brief Runs or waits for the one call the executor holds, if any; that call keeps its own
 *         outcome. [name: signature is ours]
 */
UFORM_API void uform_executor_drain(uform_executor_drain_t *arguments);

/** Where an executor runs and how much memory it has taken. [ours] */
typedef struct uform_executor_description_t {
    uform_residency_t residency;
    /** First device, or -1 for host threads. */
    int32_t device;
    uform_caller_exclusivity_t exclusivity;
    uform_mood_t mood;
    /** Zero for what it does not have. */
    uint32_t devices_count, threads, streams, memory_domains_count;
    /** The high-water mark of its working memory, in bytes. */
    uint64_t scratch_bytes;
} uform_executor_description_t;

/** @sa uform_executor_describe */
typedef struct uform_executor_describe_t {
    /** @b Required. */
    uform_executor_t executor;
    /** Output for the outcome. */
    uform_outcome_t *outcome;
    /** Output for the report. @b Required. */
    uform_executor_description_t *description;
} uform_executor_describe_t;

/** @brief Reports an executor's placement and growth. [ours] @b Optional. */
UFORM_API void uform_executor_describe(uform_executor_describe_t *arguments);

/**
 *  @brief Frees the executor after every call it holds is final; `NULL` is safe. [ours]
 *  @param[inout] executor Invalid afterwards. Its GPU arenas are freed before it, its host arenas
 *             may outlive it.
 */
UFORM_API void uform_executor_free(uform_executor_t executor);

/* -------------------- Arenas ------------------------------------------------------------------ */

/** @sa uform_arena_init */
typedef struct uform_arena_init_t {
    /** Output for the new arena. [seed] @b Required. */
    uform_arena_t *arena;
    /** The executor to place the arena by; `NULL` for host pages and the calling thread. [seed] */
    uform_executor_t executor;
    /** Output for the outcome. [seed] */
    uform_outcome_t *outcome;
} uform_arena_init_t;

/**
 *  @brief Makes an arena next to `executor`'s compute; memory comes with the first call that
 *         writes. [seed]
 */
UFORM_API void uform_arena_init(uform_arena_init_t *arguments);

/**
 *  @brief Releases the arena with its outputs, once no deferred call names it; `NULL` is safe.
 *         [seed]
 */
UFORM_API void uform_arena_free(uform_arena_t arena);

/** @sa uform_arena_describe */
typedef struct uform_arena_describe_t {
    /** @b Required. [seed] */
    uform_arena_t arena;
    /** Output for the outcome. [seed] */
    uform_outcome_t *outcome;
    /** Receives the placement. [seed] @b Required. */
    uform_arena_description_t *description;
} uform_arena_describe_t;

/** @brief Reports an arena's placement without the executor that chose it. [seed] */
UFORM_API void uform_arena_describe(uform_arena_describe_t *arguments);

/* -------------------- Models ------------------------------------------------------------------ */

/** @sa uform_model_load and uform_model_load_vram */
typedef struct uform_model_load_t {
    /** Output for the new model. @b Required. */
    uform_model_t *model;
    /**
     *  Executor to load and pack on, whose memory the weights are placed in; `NULL` for the calling
     *  thread.
     */
    uform_executor_t executor;
    /** Output for the outcome. */
    uform_outcome_t *outcome;
    /** NUL-terminated UTF-8 path of a checkpoint. @b Required. */
    char const *path;
    /** Kind to pack the weights to; zero keeps the file's own. */
    uform_scalar_t scalar;
    uint32_t reserved;
    /** Optional progress report, in bytes; returning `false` cancels the load. */
    uform_progress_callback_t progress;
    void *progress_state;
} uform_model_load_t;

/** @brief Loads weights into host pages. [ours] */
UFORM_API void uform_model_load(uform_model_load_t *arguments);
/**
 *  @brief Loads weights into the memory of `executor`'s GPU; a host or `NULL` executor is refused.
 *         [ours] @b Optional.
 */
UFORM_API void uform_model_load_vram(uform_model_load_t *arguments);

/** Geometry and placement of a model. [name: fields are ours] */
typedef struct uform_model_description_t {
    uint64_t parameters;
    /** Bytes of weights and packed copies. */
    uint64_t weights_bytes;
    /** Scalars per pooled embedding and per state. */
    uint32_t embedding_columns, state_columns;
    /** Longest item in tokens, a token per byte for texts. */
    uint32_t context;
    uint32_t layers, heads;
    /** One where it can score choices, else zero. */
    uint32_t byte_decoder;
    /** Question types @ref uform_text_choose is calibrated for; zero without the byte decoder. */
    uint32_t question_types;
    /** Rate recordings are resampled to, in Hz; zero without audio. */
    uint32_t sample_rate;
    /** Mask of `1u << uform_modality_t`. */
    uint32_t modalities;
    /** Kind the weights are packed to. */
    uform_scalar_t scalar;
    uform_residency_t residency;
    /** UForm ordinal, or -1 for host pages. */
    int32_t device;
} uform_model_description_t;

/** @sa uform_model_describe */
typedef struct uform_model_describe_t {
    /** @b Required. */
    uform_model_t model;
    /** As for any verb of the model. */
    uform_executor_t executor;
    /** Output for the outcome. */
    uform_outcome_t *outcome;
    /** As for any verb of the model. */
    uform_completion_t completion;
    uint32_t reserved;
    /** Output for the report. @b Required. */
    uform_model_description_t *description;
} uform_model_describe_t;

/** @brief Reports a model's shape and placement. [name] */
UFORM_API void uform_model_describe(uform_model_describe_t *arguments);

/** @brief Frees the model after every deferred call naming it is final; `NULL` is safe. [ours] */
UFORM_API void uform_model_free(uform_model_t model);

/* -------------------- Encoding ---------------------------------------------------------------- */

/**
 *  @brief Arguments of @ref uform_text_encode. [name: `count`, `texts`, `arena`, `embeddings` and
 *         `outcome` are the pages', the rest is ours]
 *
 *  Every encoding verb begins with the same six fields, ends with the same five, and writes each
 *  output that it has a pointer for. A call without any output pointer is refused.
 */
typedef struct uform_text_encode_t {
    /** @b Required. */
    uform_model_t model;
    /** Where to run; `NULL` for the calling thread. */
    uform_executor_t executor;
    /** Output for the outcome; `NULL` makes the call block. */
    uform_outcome_t *outcome;
    /** When to return. */
    uform_completion_t completion;
    /** Kind of every output scalar; zero for the model's own. */
    uform_scalar_t scalar;
    /** Items in the batch, of any sizes. */
    size_t count;
    /** UTF-8 texts, as a tape of bytes. */
    uform_tape_view_t texts;
    uform_progress_callback_t progress;
    void *progress_state;
    /** Rewound by this call, and holding every output. @b Required. */
    uform_arena_t arena;
    /** Output for one pooled row per item. */
    uform_rows_view_t *embeddings;
    /** Output for one row per token. */
    uform_rows_tape_view_t *states;
} uform_text_encode_t;

/** @brief Embeds texts in a single forward pass where every byte is a token. [name] */
UFORM_API void uform_text_encode(uform_text_encode_t *arguments);

/** @sa uform_text_choose */
typedef struct uform_text_choose_t {
    uform_model_t model;
    uform_executor_t executor;
    uform_outcome_t *outcome;
    uform_completion_t completion;
    uint32_t reserved;
    size_t count;
    /**
     *  UTF-8 contexts, the choice following each; one longer than `context` is cut from its front.
     */
    uform_tape_view_t texts;
    /** The bytes each item may choose from. */
    uform_tape_view_t choices;
    /**
     *  One question type per item, selecting its calibrated inverse temperature; `NULL` for type
     *  zero. [ours]
     */
    uint32_t const *question_types;
    uform_progress_callback_t progress;
    void *progress_state;
    uform_arena_t arena;
    /**
     *  Output for one `f32` per choice in `choices` order, one column wide, summing to one per
     *  item. @b Required.
     */
    uform_rows_tape_view_t *probabilities;
} uform_text_choose_t;

/**
 *  @brief Ranks each item's candidate next bytes with the byte decoder, in a single forward pass.
 *         [name] @b Optional.
 */
UFORM_API void uform_text_choose(uform_text_choose_t *arguments);

/** @sa uform_image_encode */
typedef struct uform_image_encode_t {
    uform_model_t model;
    uform_executor_t executor;
    uform_outcome_t *outcome;
    uform_completion_t completion;
    uform_scalar_t scalar;
    size_t count;
    /** JPEG, PNG or WebP files, as a tape of bytes. */
    uform_tape_view_t images;
    uform_progress_callback_t progress;
    void *progress_state;
    uform_arena_t arena;
    uform_rows_view_t *embeddings;
    uform_rows_tape_view_t *states;
} uform_image_encode_t;

/** @brief Embeds image files; one unreadable file fails the whole batch. [name] @b Optional. */
UFORM_API void uform_image_encode(uform_image_encode_t *arguments);

/** @sa uform_image_encode_pixels */
typedef struct uform_image_encode_pixels_t {
    uform_model_t model;
    uform_executor_t executor;
    uform_outcome_t *outcome;
    uform_completion_t completion;
    uform_scalar_t scalar;
    size_t count;
    /** Interleaved 8-bit RGB; item `i` spans `heights[i] * widths[i] * 3` bytes. */
    uform_tape_view_t pixels;
    /** Rows of each item, `count` entries in host memory. */
    uint32_t const *heights;
    /** Pixels in a row of each item, likewise. */
    uint32_t const *widths;
    uform_progress_callback_t progress;
    void *progress_state;
    uform_arena_t arena;
    uform_rows_view_t *embeddings;
    uform_rows_tape_view_t *states;
} uform_image_encode_pixels_t;

/**
 *  @brief Embeds raw pixels; an item whose length does not match its sides is a shape mismatch.
 *         [name] @b Optional.
 */
UFORM_API void uform_image_encode_pixels(uform_image_encode_pixels_t *arguments);

/** @sa uform_video_encode */
typedef struct uform_video_encode_t {
    uform_model_t model;
    uform_executor_t executor;
    uform_outcome_t *outcome;
    uform_completion_t completion;
    uform_scalar_t scalar;
    size_t count;
    /** MP4 or WebM files, as a tape of bytes. */
    uform_tape_view_t videos;
    uform_progress_callback_t progress;
    void *progress_state;
    uform_arena_t arena;
    uform_rows_view_t *embeddings;
    uform_rows_tape_view_t *states;
} uform_video_encode_t;

/** @brief Embeds video clips. [name] @b Optional. */
UFORM_API void uform_video_encode(uform_video_encode_t *arguments);

/** @sa uform_audio_encode */
typedef struct uform_audio_encode_t {
    uform_model_t model;
    uform_executor_t executor;
    uform_outcome_t *outcome;
    uform_completion_t completion;
    uform_scalar_t scalar;
    size_t count;
    /** WAV, FLAC, MP3 or Opus files, as a tape of bytes. */
    uform_tape_view_t recordings;
    uform_progress_callback_t progress;
    void *progress_state;
    uform_arena_t arena;
    uform_rows_view_t *embeddings;
    uform_rows_tape_view_t *states;
} uform_audio_encode_t;

/** @brief Embeds audio files, mixed down to mono at the model's rate. [name] @b Optional. */
UFORM_API void uform_audio_encode(uform_audio_encode_t *arguments);

/** @sa uform_audio_encode_samples */
typedef struct uform_audio_encode_samples_t {
    uform_model_t model;
    uform_executor_t executor;
    uform_outcome_t *outcome;
    uform_completion_t completion;
    uform_scalar_t scalar;
    size_t count;
    /** Mono recordings, as a tape of `float`, its offsets counting samples. */
    uform_tape_view_t samples;
    /** Rate every recording shares, in Hz; zero for the model's own. */
    uint32_t sample_rate;
    uint32_t reserved;
    uform_progress_callback_t progress;
    void *progress_state;
    uform_arena_t arena;
    uform_rows_view_t *embeddings;
    uform_rows_tape_view_t *states;
} uform_audio_encode_samples_t;

/**
 *  @brief Embeds mono waveforms, resampling those at another rate than the model's. [name]
 *         @b Optional.
 */
UFORM_API void uform_audio_encode_samples(uform_audio_encode_samples_t *arguments);

/* -------------------- Training ---------------------------------------------------------------- */

/** @sa uform_trainer_init and uform_trainer_init_vram */
typedef struct uform_trainer_init_t {
    /** Output for the new trainer. @b Required. */
    uform_trainer_t *trainer;
    /** Executor on whose devices weights, gradients and moments live. @b Required. */
    uform_executor_t executor;
    /** Output for the outcome. */
    uform_outcome_t *outcome;
    /** Checkpoint to start from or resume. @b Required. */
    char const *path;
    /** `host:port` where the processes of the run meet; `NULL` where there is one. */
    char const *rendezvous;
    size_t reserved;
    /** The index of this process and the number of processes; zero processes means one. */
    uint32_t process_index, processes_count;
    /** Optimizer settings; zero for the defaults. */
    double learning_rate, weight_decay;
    /** Seed of everything random in the run. */
    uint64_t seed;
    uform_progress_callback_t progress;
    void *progress_state;
} uform_trainer_init_t;

/** @brief Starts or resumes a run in host pages. [ours] @b Optional. */
UFORM_API void uform_trainer_init(uform_trainer_init_t *arguments);
/** @brief Starts or resumes a run in device memory. [name: `Trainer::init_vram`] @b Optional. */
UFORM_API void uform_trainer_init_vram(uform_trainer_init_t *arguments);

/** The report of one step, across every process. [ours] */
typedef struct uform_trainer_stats_t {
    /** Steps applied so far, this one included. */
    uint64_t step;
    /** Items in this step, those of the other processes included. */
    uint64_t items;
    double loss, gradient_norm;
} uform_trainer_stats_t;

/** @sa uform_trainer_step */
typedef struct uform_trainer_step_t {
    /** @b Required. */
    uform_trainer_t trainer;
    /** @b Required: a trainer has no receiver without an executor. */
    uform_executor_t executor;
    uform_outcome_t *outcome;
    uform_completion_t completion;
    /** Kind of `embeddings`; zero for the trainer's own. */
    uform_scalar_t scalar;
    /** Items of this process. */
    size_t count;
    /** One modality per item. */
    uform_modality_t const *modalities;
    /** Each item's bytes. */
    uform_tape_view_t contents;
    /** One group per item, equal for items that match; `NULL` pairs neighbours. [ours] */
    uint32_t const *groups;
    /** Overrides the run's rate for this step; zero keeps it. */
    double learning_rate;
    size_t reserved;
    uform_progress_callback_t progress;
    void *progress_state;
    /** Optional: receives the pooled embeddings where it is set. */
    uform_arena_t arena;
    /** Output for one pooled row per item; needs `arena`. */
    uform_rows_view_t *embeddings;
    /** Output for a fixed-size report, a caller field. */
    uform_trainer_stats_t *stats;
} uform_trainer_step_t;

/**
 *  @brief One optimizer step of the whole run, called on every process the same number of times.
 *         [name] @b Optional.
 */
UFORM_API void uform_trainer_step(uform_trainer_step_t *arguments);

/** @sa uform_trainer_save */
typedef struct uform_trainer_save_t {
    /** @b Required. */
    uform_trainer_t trainer;
    uform_executor_t executor;
    uform_outcome_t *outcome;
    uform_completion_t completion;
    uint32_t reserved;
    /** NUL-terminated UTF-8 path, read until the call is final. @b Required. */
    char const *path;
    uform_progress_callback_t progress;
    void *progress_state;
} uform_trainer_save_t;

/**
 *  @brief Checkpoints the run from process zero; elsewhere it succeeds without writing. [name]
 *         @b Optional.
 */
UFORM_API void uform_trainer_save(uform_trainer_save_t *arguments);

/**
 *  @brief Frees the trainer after every deferred call naming it is final; `NULL` is safe. [ours]
 *         @b Optional.
 */
UFORM_API void uform_trainer_free(uform_trainer_t trainer);

/** Sizes any binding can assume, in words plus bytes. A mismatch does not compile. [ours] */
#if !defined(UFORM_NO_LAYOUT_CHECKS)
#if defined(__cplusplus)
#define UFORM_STATIC_ASSERT_ static_assert
#else
#define UFORM_STATIC_ASSERT_ _Static_assert
#endif
#define UFORM_LAYOUT_CHECK_(type, words, bytes) \
    UFORM_STATIC_ASSERT_(sizeof(type) == (words) * sizeof(void *) + (bytes), "Unexpected size of " #type)
UFORM_STATIC_ASSERT_(sizeof(size_t) == sizeof(void *) && sizeof(uintptr_t) == sizeof(void *), "Unexpected word");
UFORM_LAYOUT_CHECK_(uform_status_t, 0, 4);
UFORM_LAYOUT_CHECK_(uform_scalar_t, 0, 4);
UFORM_LAYOUT_CHECK_(uform_modality_t, 0, 4);
UFORM_LAYOUT_CHECK_(uform_residency_t, 0, 4);
UFORM_LAYOUT_CHECK_(uform_mood_t, 0, 4);
UFORM_LAYOUT_CHECK_(uform_caller_exclusivity_t, 0, 4);
UFORM_LAYOUT_CHECK_(uform_completion_t, 0, 4);
UFORM_LAYOUT_CHECK_(uform_capability_t, 0, 4);
UFORM_LAYOUT_CHECK_(uform_outcome_t, 2, 8);
UFORM_LAYOUT_CHECK_(uform_tape_view_t, 2, 0);
UFORM_LAYOUT_CHECK_(uform_rows_view_t, 4, 0);
UFORM_LAYOUT_CHECK_(uform_rows_tape_view_t, 5, 0);
UFORM_LAYOUT_CHECK_(uform_arena_description_t, 0, 8);
UFORM_LAYOUT_CHECK_(uform_gpu_device_t, 0, 88);
UFORM_LAYOUT_CHECK_(uform_gpu_devices_t, 4, 0);
UFORM_LAYOUT_CHECK_(uform_executor_init_t, 2, 24);
UFORM_LAYOUT_CHECK_(uform_executor_init_vram_t, 4, 8);
UFORM_LAYOUT_CHECK_(uform_executor_drain_t, 2, 0);
UFORM_LAYOUT_CHECK_(uform_executor_description_t, 0, 40);
UFORM_LAYOUT_CHECK_(uform_executor_describe_t, 3, 0);
UFORM_LAYOUT_CHECK_(uform_arena_init_t, 3, 0);
UFORM_LAYOUT_CHECK_(uform_arena_describe_t, 3, 0);
UFORM_LAYOUT_CHECK_(uform_model_load_t, 6, 8);
UFORM_LAYOUT_CHECK_(uform_model_description_t, 0, 64);
UFORM_LAYOUT_CHECK_(uform_model_describe_t, 4, 8);
UFORM_LAYOUT_CHECK_(uform_text_encode_t, 11, 8);
UFORM_LAYOUT_CHECK_(uform_text_choose_t, 13, 8);
UFORM_LAYOUT_CHECK_(uform_image_encode_t, 11, 8);
UFORM_LAYOUT_CHECK_(uform_image_encode_pixels_t, 13, 8);
UFORM_LAYOUT_CHECK_(uform_video_encode_t, 11, 8);
UFORM_LAYOUT_CHECK_(uform_audio_encode_t, 11, 8);
UFORM_LAYOUT_CHECK_(uform_audio_encode_samples_t, 11, 16);
UFORM_LAYOUT_CHECK_(uform_trainer_init_t, 8, 32);
UFORM_LAYOUT_CHECK_(uform_trainer_stats_t, 0, 32);
UFORM_LAYOUT_CHECK_(uform_trainer_step_t, 14, 16);
UFORM_LAYOUT_CHECK_(uform_trainer_save_t, 6, 8);
#define UFORM_WORD_CHECK_(type, field, word) \
    UFORM_STATIC_ASSERT_(offsetof(type, field) == (word) * sizeof(void *), "Unexpected offset of " #type "." #field)
UFORM_WORD_CHECK_(uform_arena_init_t, executor, 1);
UFORM_WORD_CHECK_(uform_arena_init_t, outcome, 2);
UFORM_WORD_CHECK_(uform_arena_describe_t, outcome, 1);
UFORM_WORD_CHECK_(uform_arena_describe_t, description, 2);
UFORM_WORD_CHECK_(uform_rows_view_t, stride, 1);
UFORM_WORD_CHECK_(uform_rows_view_t, columns, 2);
UFORM_WORD_CHECK_(uform_rows_view_t, scalar, 3);
UFORM_STATIC_ASSERT_(offsetof(uform_executor_init_t, memory_domains) % 8 == 0, "Unexpected alignment");
UFORM_STATIC_ASSERT_(offsetof(uform_trainer_init_t, learning_rate) % 8 == 0, "Unexpected alignment");
UFORM_STATIC_ASSERT_(offsetof(uform_trainer_step_t, learning_rate) % 8 == 0, "Unexpected alignment");
#undef UFORM_WORD_CHECK_
#undef UFORM_LAYOUT_CHECK_
#undef UFORM_STATIC_ASSERT_
#endif

#ifdef __cplusplus
} // extern "C"
#endif

#endif // UNUM_UFORM_H
