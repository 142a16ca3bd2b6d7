/** FFmpeg's side of files. */
#include "decoder.h"

#include "files.h"
#include "memory.h"

#ifdef UFORM_FFMPEG
#include <string.h> // `memcpy`, `strcmp`

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>

/** The supported codecs, by FFmpeg's names; any other is unsupported. */
static char const *const pictures[] = {"h264", "hevc", "vp8", "vp9", "av1", "mpeg4", "mjpeg", NULL};
static char const *const sounds[] = {"flac", "mp3", "opus", "vorbis", NULL};

struct decoder_t {
    unsigned char const *bytes;
    size_t size, at;
    AVIOContext *io;
    AVFormatContext *format;
    AVCodecContext *codec;
    AVPacket *packet;
    AVFrame *frame;
    int stream;
    size_t packets;
    /** Of the packet that is shown last so far; whether there is one, and whether the next one
     *  tells its duration. */
    int64_t first_dts, last_start, last_dts, last_duration;
    bool timed, awaits_next;
    /** Nothing more comes from the file. */
    bool drained;
};

/** FFmpeg also reports out of memory for a damaged file that asks for an impossible amount. */
static bool memory_is_there(void) {
    enum { enough_k = 1 << 26 };
    void *memory = av_malloc(enough_k);
    av_free(memory);
    return memory != NULL;
}

static fault_t fault_of(int code, char const *what) {
    if (code == AVERROR(ENOMEM) && !memory_is_there()) return fault_memory("FFmpeg");
    bool const unknown = code == AVERROR_PATCHWELCOME || code == AVERROR_DECODER_NOT_FOUND;
    char text[AV_ERROR_MAX_STRING_SIZE] = "";
    av_strerror(code, text, sizeof(text));
    return fault_format(unknown ? uform_status_unsupported_k : uform_status_malformed_k, "%s does not decode: %s", what,
                        text);
}

/* -------------------- A file in memory -------------------------------------------------------- */

static int file_read(void *opaque, uint8_t *out, int most) {
    decoder_t *decoder = opaque;
    size_t const left = decoder->size - decoder->at, count = left < (size_t)most ? left : (size_t)most;
    if (!count) return AVERROR_EOF;
    memcpy(out, decoder->bytes + decoder->at, count);
    decoder->at += count;
    return (int)count;
}

static int64_t file_seek(void *opaque, int64_t offset, int whence) {
    decoder_t *decoder = opaque;
    if (whence == AVSEEK_SIZE) return (int64_t)decoder->size;
    if (whence == SEEK_CUR) offset += (int64_t)decoder->at;
    else if (whence == SEEK_END) offset += (int64_t)decoder->size;
    else if (whence != SEEK_SET) return AVERROR(EINVAL);
    if (offset < 0 || (uint64_t)offset > decoder->size) return AVERROR(EINVAL);
    decoder->at = (size_t)offset;
    return offset;
}

/** References to other files are not opened. */
static int file_refuse(AVFormatContext *format, AVIOContext **io, char const *url, int flags, AVDictionary **options) {
    (void)format, (void)io, (void)url, (void)flags, (void)options;
    return AVERROR(EPERM);
}

/* -------------------- Opening ----------------------------------------------------------------- */

static fault_t decoder_make(unsigned char const *bytes, size_t size, decoder_t **made) {
    av_log_set_level(AV_LOG_QUIET); // a library prints nothing
    decoder_t *decoder = *made = memory_take(sizeof(decoder_t));
    if (!decoder) return fault_memory("a decoder");
    decoder->bytes = bytes, decoder->size = size;
    decoder->packet = av_packet_alloc();
    decoder->frame = av_frame_alloc();
    return decoder->packet && decoder->frame ? fault_none() : fault_memory("a decoder");
}

/** One thread, since calls are many; damage is an error, and not a guess. */
static fault_t codec_open(decoder_t *decoder, AVCodec const *codec, AVCodecParameters const *parameters) {
    if (!codec) return fault_make(uform_status_unsupported_k, "FFmpeg was built without a decoder for the file");
    decoder->codec = avcodec_alloc_context3(codec);
    if (!decoder->codec) return fault_memory("a decoder");
    int code = parameters ? avcodec_parameters_to_context(decoder->codec, parameters) : 0;
    decoder->codec->thread_count = 1;
    decoder->codec->err_recognition = AV_EF_EXPLODE | AV_EF_CRCCHECK;
    decoder->codec->flags = AV_CODEC_FLAG_BITEXACT;
    decoder->codec->idct_algo = FF_IDCT_INT; // as in other decoders
    decoder->codec->max_pixels = pixels_most_k;
    // The caller removes encoder delay and padding.
    decoder->codec->flags2 = AV_CODEC_FLAG2_SKIP_MANUAL;
    // Streams that do not declare their reordering depth are assumed to have the largest.
    if (codec->id == AV_CODEC_ID_H264) decoder->codec->strict_std_compliance = FF_COMPLIANCE_STRICT;
    if (decoder->format) decoder->codec->pkt_timebase = decoder->format->streams[decoder->stream]->time_base;
    if (code >= 0) code = avcodec_open2(decoder->codec, codec, NULL);
    return code < 0 ? fault_of(code, "the file") : fault_none();
}

static bool codec_allowed(char const *const *names, enum AVCodecID codec) {
    char const *name = avcodec_get_name(codec);
    while (*names && strcmp(*names, name) != 0) ++names;
    return *names != NULL;
}

static fault_t stream_open(decoder_t *decoder, bool video) {
    AVFormatContext *format = decoder->format;
    enum AVMediaType const type = video ? AVMEDIA_TYPE_VIDEO : AVMEDIA_TYPE_AUDIO;
    decoder->stream = -1;
    for (unsigned i = 0; i != format->nb_streams; ++i) {
        AVStream *stream = format->streams[i];
        bool const still = stream->disposition & AV_DISPOSITION_ATTACHED_PIC;
        if (decoder->stream < 0 && stream->codecpar->codec_type == type && !still) decoder->stream = (int)i;
        else stream->discard = AVDISCARD_ALL;
    }
    if (decoder->stream < 0)
        return fault_make(uform_status_malformed_k, video ? "the file has no track of video"
                                                          : "the file has no track of sound");
    AVCodecParameters const *parameters = format->streams[decoder->stream]->codecpar;
    if (!codec_allowed(video ? pictures : sounds, parameters->codec_id))
        return fault_format(uform_status_unsupported_k, "the file holds %s, which is not decoded",
                            avcodec_get_name(parameters->codec_id));
    // Of two decoders of Opus the reference is the better one.
    AVCodec const *codec = parameters->codec_id == AV_CODEC_ID_OPUS ? avcodec_find_decoder_by_name("libopus") : NULL;
    return codec_open(decoder, codec ? codec : avcodec_find_decoder(parameters->codec_id), parameters);
}

static fault_t format_open(decoder_t *decoder, char const *demuxer) {
    enum { buffer_bytes_k = 32768 };
    AVInputFormat const *input = av_find_input_format(demuxer);
    if (!input) return fault_format(uform_status_unsupported_k, "FFmpeg was built without %s", demuxer);
    unsigned char *buffer = av_malloc(buffer_bytes_k);
    decoder->io = buffer ? avio_alloc_context(buffer, buffer_bytes_k, 0, decoder, file_read, NULL, file_seek) : NULL;
    if (!decoder->io) av_free(buffer);
    decoder->format = avformat_alloc_context();
    if (!decoder->io || !decoder->format) return fault_memory("a demuxer");
    decoder->format->pb = decoder->io;
    decoder->format->io_open = file_refuse;
    decoder->format->error_recognition = AV_EF_EXPLODE | AV_EF_CRCCHECK;
    // Only what the file declares is used, and no guess.
    decoder->format->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_NOFILLIN;
    int const code = avformat_open_input(&decoder->format, NULL, input, NULL);
    return code < 0 ? fault_of(code, "the file") : fault_none();
}

fault_t decoder_open(char const *demuxer, bool video, unsigned char const *bytes, size_t size, decoder_t **made) {
    fault_t fault = decoder_make(bytes, size, made);
    if (!fault.status) fault = format_open(*made, demuxer);
    if (!fault.status) fault = stream_open(*made, video);
    if (!fault.status) return fault;
    decoder_close(*made);
    *made = NULL;
    return fault;
}

fault_t decoder_open_still(char const *codec, unsigned char const *bytes, size_t size, decoder_t **made) {
    fault_t fault = decoder_make(bytes, size, made);
    decoder_t *decoder = *made;
    if (!fault.status) fault = codec_open(decoder, avcodec_find_decoder_by_name(codec), NULL);
    if (!fault.status && size > INT32_MAX / 2) fault = fault_make(uform_status_malformed_k, "a picture of over 1 GiB");
    if (!fault.status) {
        int code = av_new_packet(decoder->packet, (int)size);
        if (code >= 0) {
            memcpy(decoder->packet->data, bytes, size);
            code = avcodec_send_packet(decoder->codec, decoder->packet);
            av_packet_unref(decoder->packet);
        }
        if (code >= 0) code = avcodec_send_packet(decoder->codec, NULL);
        if (code >= 0) code = avcodec_receive_frame(decoder->codec, decoder->frame);
        if (code < 0) fault = fault_of(code, "the picture");
        else if (decoder->frame->decode_error_flags)
            fault = fault_make(uform_status_malformed_k, "the picture does not decode whole");
    }
    if (!fault.status) return fault;
    decoder_close(decoder);
    *made = NULL;
    return fault;
}

void decoder_close(decoder_t *decoder) {
    if (!decoder) return;
    avcodec_free_context(&decoder->codec);
    avformat_close_input(&decoder->format);
    if (decoder->io) av_freep(&decoder->io->buffer);
    avio_context_free(&decoder->io);
    av_packet_free(&decoder->packet);
    av_frame_free(&decoder->frame);
    memory_give(decoder);
}

/* -------------------- Decoding ---------------------------------------------------------------- */

/** Keeps what is said of the packet that is shown last. FFmpeg leaves durations of reordered MP4 to
 *  be told from times. */
static void packet_time(decoder_t *decoder) {
    AVPacket const *packet = decoder->packet;
    if (decoder->awaits_next && packet->dts != AV_NOPTS_VALUE) decoder->last_duration = packet->dts - decoder->last_dts;
    decoder->awaits_next = false;
    if (!decoder->packets) decoder->first_dts = packet->dts;
    if (packet->flags & AV_PKT_FLAG_DISCARD || packet->pts == AV_NOPTS_VALUE) return;
    if (decoder->timed && packet->pts < decoder->last_start) return;
    decoder->timed = true;
    decoder->last_start = packet->pts, decoder->last_dts = packet->dts;
    decoder->last_duration = packet->duration > 0 ? packet->duration : -1;
    decoder->awaits_next = packet->duration <= 0 && packet->dts != AV_NOPTS_VALUE &&
                           strcmp(decoder->format->iformat->name, "matroska,webm") != 0;
}

/** Gives the decoder the next packet of its stream, or the end. */
static int packet_send(decoder_t *decoder) {
    for (;;) {
        int code = av_read_frame(decoder->format, decoder->packet);
        if (code == AVERROR_EOF) {
            decoder->drained = true;
            return avcodec_send_packet(decoder->codec, NULL);
        }
        if (code < 0) return code;
        bool const ours = decoder->packet->stream_index == decoder->stream;
        // Sound without a declared end is read past the end of its file, which is no fault.
        bool const cut = decoder->packet->flags & AV_PKT_FLAG_CORRUPT &&
                         decoder->codec->codec_type == AVMEDIA_TYPE_VIDEO;
        code = 0;
        if (ours && cut) code = AVERROR_INVALIDDATA;
        else if (ours) {
            packet_time(decoder);
            decoder->packets++;
            // Recorders write empty packets for frames that they dropped.
            if (decoder->packet->size) code = avcodec_send_packet(decoder->codec, decoder->packet);
        }
        av_packet_unref(decoder->packet);
        if (ours || code < 0) return code;
    }
}

fault_t decoder_next(decoder_t *decoder, bool *more) {
    int code;
    while ((code = avcodec_receive_frame(decoder->codec, decoder->frame)) == AVERROR(EAGAIN)) {
        if (decoder->drained) break;
        code = packet_send(decoder);
        if (code < 0 && code != AVERROR_EOF) break;
    }
    *more = code >= 0;
    return *more || code == AVERROR_EOF ? fault_none() : fault_of(code, "the file");
}

size_t decoder_packets(decoder_t const *decoder) { return decoder->packets; }

size_t decoder_packets_promised(decoder_t const *decoder) {
    int64_t const frames = decoder->format->streams[decoder->stream]->nb_frames;
    return frames > 0 ? (size_t)frames : 0;
}

unsigned decoder_turns(decoder_t const *decoder) {
    AVStream const *stream = decoder->format->streams[decoder->stream];
    int32_t const *matrix = NULL;
#if LIBAVCODEC_VERSION_MAJOR >= 61
    AVPacketSideData const *side = av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    if (side && side->size >= 9 * sizeof(int32_t)) matrix = (int32_t const *)(void const *)side->data;
#else
    size_t bytes = 0;
    uint8_t const *side = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &bytes);
    if (side && bytes >= 9 * sizeof(int32_t)) matrix = (int32_t const *)(void const *)side;
#endif
    // A matrix that mirrors counts as no turn.
    if (!matrix || (double)matrix[0] * matrix[4] - (double)matrix[1] * matrix[3] <= 0) return 0;
    double const degrees = -av_display_rotation_get(matrix); // that is counterclockwise
    for (int quarters = -3; quarters != 4; ++quarters)
        if (degrees > quarters * 90 - 1e-3 && degrees < quarters * 90 + 1e-3) return (unsigned)(quarters + 4) % 4;
    return 0;
}

int64_t frame_start(decoder_t const *decoder) {
    return decoder->frame->pts == AV_NOPTS_VALUE ? decoder->frame->pkt_dts : decoder->frame->pts;
}

int64_t decoder_last_duration(decoder_t const *decoder) {
    if (!decoder->awaits_next) return decoder->last_duration;
    // No packet follows it: all that the track lasts beyond the others is its own.
    int64_t const whole = decoder->format->streams[decoder->stream]->duration;
    int64_t const others = decoder->last_dts - decoder->first_dts;
    return whole != AV_NOPTS_VALUE && whole > others ? whole - others : -1;
}

/* -------------------- Pictures ---------------------------------------------------------------- */

/** The weights of red and blue in luma, by the stream's matrix; BT.601 if it names none. */
static void matrix_weights(enum AVColorSpace matrix, pixels_t *pixels) {
    pixels->red = 0.299, pixels->blue = 0.114;
    if (matrix == AVCOL_SPC_BT709) pixels->red = 0.2126, pixels->blue = 0.0722;
    else if (matrix == AVCOL_SPC_FCC) pixels->red = 0.30, pixels->blue = 0.11;
    else if (matrix == AVCOL_SPC_SMPTE240M) pixels->red = 0.212, pixels->blue = 0.087;
    else if (matrix == AVCOL_SPC_BT2020_NCL || matrix == AVCOL_SPC_BT2020_CL)
        pixels->red = 0.2627, pixels->blue = 0.0593;
}

fault_t frame_pixels(decoder_t const *decoder, pixels_t *pixels) {
    AVFrame const *frame = decoder->frame;
    AVPixFmtDescriptor const *format = av_pix_fmt_desc_get(frame->format);
    uint64_t const foreign = AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BAYER;
    if (!format || format->flags & foreign || frame->width <= 0 || frame->height <= 0)
        return fault_make(uform_status_unsupported_k, "the file has pixels of an unknown kind");
    bool const palette = format->flags & AV_PIX_FMT_FLAG_PAL;
    *pixels = (pixels_t){.width = (size_t)frame->width,
                         .height = (size_t)frame->height,
                         .components = palette ? 4 : format->nb_components,
                         .depth = palette ? 8 : (unsigned)format->comp[0].depth,
                         .rgb = palette || format->flags & AV_PIX_FMT_FLAG_RGB,
                         .across = 1u << format->log2_chroma_w,
                         .down = 1u << format->log2_chroma_h,
                         .full = frame->color_range == AVCOL_RANGE_JPEG || decoder->codec->codec_id == AV_CODEC_ID_PNG};
    if (frame->format == AV_PIX_FMT_YUVJ420P || frame->format == AV_PIX_FMT_YUVJ422P ||
        frame->format == AV_PIX_FMT_YUVJ444P || frame->format == AV_PIX_FMT_YUVJ440P ||
        frame->format == AV_PIX_FMT_YUVJ411P)
        pixels->full = true;
    matrix_weights(frame->colorspace, pixels);
    return fault_none();
}

void frame_line(decoder_t const *decoder, unsigned component, size_t y, size_t count, uint16_t *line) {
    AVFrame const *frame = decoder->frame;
    AVPixFmtDescriptor const *format = av_pix_fmt_desc_get(frame->format);
    uint8_t const *data[4] = {frame->data[0], frame->data[1], frame->data[2], frame->data[3]};
    int const strides[4] = {frame->linesize[0], frame->linesize[1], frame->linesize[2], frame->linesize[3]};
    if (!(format->flags & AV_PIX_FMT_FLAG_PAL)) {
        av_read_image_line2(line, data, strides, format, 0, (int)y, (int)component, (int)count, 0, 2);
        return;
    }
    av_read_image_line2(line, data, strides, format, 0, (int)y, 0, (int)count, 0, 2);
    // A color is one number: alpha, red, green, blue.
    static unsigned const shifts[] = {16, 8, 0, 24};
    for (size_t i = 0; i != count; ++i) {
        uint32_t color;
        memcpy(&color, data[1] + (size_t)line[i] * 4, 4);
        line[i] = (uint16_t)(color >> shifts[component] & 255);
    }
}

/* -------------------- Sound ------------------------------------------------------------------- */

size_t frame_samples(decoder_t const *decoder) { return (size_t)decoder->frame->nb_samples; }
uint32_t frame_rate(decoder_t const *decoder) {
    int const rate = decoder->frame->sample_rate;
    return rate > 0 ? (uint32_t)rate : 0;
}

/** One sample in -1 … 1; integers are divided by what half of their bits hold. */
static double sample_read(enum AVSampleFormat kind, uint8_t const *data, size_t i) {
    switch (av_get_packed_sample_fmt(kind)) {
    case AV_SAMPLE_FMT_U8: return (data[i] - 128) / 128.0;
    case AV_SAMPLE_FMT_S16: return ((int16_t const *)(void const *)data)[i] / 32768.0;
    case AV_SAMPLE_FMT_S32: return ((int32_t const *)(void const *)data)[i] / 2147483648.0;
    case AV_SAMPLE_FMT_FLT: return (double)((float const *)(void const *)data)[i];
    case AV_SAMPLE_FMT_DBL: return ((double const *)(void const *)data)[i];
    default: return 0;
    }
}

void frame_mix(decoder_t const *decoder, float *samples) {
    AVFrame const *frame = decoder->frame;
    size_t const channels = (size_t)frame->ch_layout.nb_channels, count = frame_samples(decoder);
    bool const planar = av_sample_fmt_is_planar(frame->format);
    for (size_t i = 0; i != count; ++i) {
        double sum = 0;
        for (size_t c = 0; c != channels; ++c)
            sum += planar ? sample_read(frame->format, frame->extended_data[c], i)
                          : sample_read(frame->format, frame->data[0], i * channels + c);
        samples[i] = (float)(sum / (double)channels);
    }
}
#endif // UFORM_FFMPEG
