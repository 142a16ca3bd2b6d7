// Decodes pictures with libjpeg, libpng and libwebp, for ci/bench/encoder. Its argument is a
// folder. It reads lines of a kind and the name of a file there, and answers each with the
// processor time of one decoding, in seconds: the median of those of a fifth of a second, after one
// that is not counted.
#include <png.h>
#include <stdio.h>
#include <jpeglib.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <webp/decode.h>

static double now(void) {
	struct timespec spent;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
	return spent.tv_sec + 1e-9 * spent.tv_nsec;
}

static void fail(char const *what) {
	fprintf(stderr, "peer: %s\n", what);
	exit(1);
}

// Each decoder writes rows of red, green and blue to memory of its own, as a library's user would.

static void jpeg(unsigned char *data, size_t size) {
	struct jpeg_decompress_struct info;
	struct jpeg_error_mgr errors;
	info.err = jpeg_std_error(&errors);
	jpeg_create_decompress(&info);
	jpeg_mem_src(&info, data, size);
	jpeg_read_header(&info, TRUE);
	info.out_color_space = JCS_RGB;
	info.dct_method = JDCT_ISLOW;
	jpeg_start_decompress(&info);
	size_t row = 3 * (size_t)info.output_width;
	unsigned char *pixels = malloc(row * info.output_height);
	while (info.output_scanline < info.output_height) {
		JSAMPROW into = pixels + row * info.output_scanline;
		jpeg_read_scanlines(&info, &into, 1);
	}
	jpeg_finish_decompress(&info);
	jpeg_destroy_decompress(&info);
	free(pixels);
}

static void png(unsigned char *data, size_t size) {
	png_image image = {.version = PNG_IMAGE_VERSION};
	if (!png_image_begin_read_from_memory(&image, data, size)) fail(image.message);
	image.format = PNG_FORMAT_RGB;
	unsigned char *pixels = malloc(PNG_IMAGE_SIZE(image));
	if (!png_image_finish_read(&image, NULL, pixels, 0, NULL)) fail(image.message);
	free(pixels);
}

static void webp(unsigned char *data, size_t size) {
	int width, height;
	unsigned char *pixels = WebPDecodeRGB(data, size, &width, &height);
	if (!pixels) fail("libwebp refuses the file");
	WebPFree(pixels);
}

static int ascending(void const *a, void const *b) {
	double const x = *(double const *)a, y = *(double const *)b;
	return (x > y) - (x < y);
}

int main(int count, char **arguments) {
	if (count != 2 || chdir(arguments[1])) fail("needs a folder");
	char kind[16], path[256];
	while (scanf("%15s %255s", kind, path) == 2) {
		void (*decode)(unsigned char *, size_t) = !strcmp(kind, "jpeg") ? jpeg : !strcmp(kind, "png") ? png : webp;
		FILE *file = fopen(path, "rb");
		if (!file) fail(path);
		fseek(file, 0, SEEK_END);
		size_t size = ftell(file);
		rewind(file);
		unsigned char *data = malloc(size);
		if (fread(data, 1, size, file) != size) fail(path);
		fclose(file);
		decode(data, size);
		double times[1000];
		size_t taken = 0;
		for (double end = now() + 0.2; now() < end && taken < 1000; ++taken) {
			double begin = now();
			decode(data, size);
			times[taken] = now() - begin;
		}
		free(data);
		qsort(times, taken, sizeof *times, ascending);
		printf("%.9f\n", times[taken / 2]);
		fflush(stdout);
	}
	return 0;
}
