//go:build ignore

// The package of Go beside this file has nothing to do with it.

/* Writes and reads JPEGs of four components with libjpeg, for make-images.sh.
 *
 *   inks write WIDTH HEIGHT cmyk|ycck|plain 11|22 < samples > file    samples as they are to be
 *   stored, four a pixel inks read < file > samples                                        what a
 *   file stores, as CMYK
 *
 * "plain" is CMYK without Adobe's marker. 22 gives the luma of YCCK four samples for one of chroma.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

static int write_file(char **arguments) {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, stdout);
    jpeg.image_width = atoi(arguments[0]);
    jpeg.image_height = atoi(arguments[1]);
    jpeg.input_components = 4;
    jpeg.in_color_space = JCS_CMYK;
    jpeg_set_defaults(&jpeg);
    jpeg_set_colorspace(&jpeg, strcmp(arguments[2], "ycck") ? JCS_CMYK : JCS_YCCK);
    jpeg_set_quality(&jpeg, 95, TRUE);
    jpeg.write_Adobe_marker = strcmp(arguments[2], "plain") != 0;
    if (!strcmp(arguments[3], "22"))
        jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = jpeg.comp_info[3].h_samp_factor =
            jpeg.comp_info[3].v_samp_factor = 2;
    else
        jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = jpeg.comp_info[3].h_samp_factor =
            jpeg.comp_info[3].v_samp_factor = 1;
    jpeg_start_compress(&jpeg, TRUE);
    JSAMPROW row = malloc((size_t)jpeg.image_width * 4);
    while (jpeg.next_scanline < jpeg.image_height) {
        if (fread(row, 4, jpeg.image_width, stdin) != jpeg.image_width) return 1;
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    free(row);
    return 0;
}

static int read_file(void) {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&jpeg);
    jpeg_stdio_src(&jpeg, stdin);
    jpeg_read_header(&jpeg, TRUE);
    jpeg.out_color_space = JCS_CMYK;
    jpeg.dct_method = JDCT_ISLOW;
    jpeg_start_decompress(&jpeg);
    JSAMPROW row = malloc((size_t)jpeg.output_width * 4);
    while (jpeg.output_scanline < jpeg.output_height) {
        jpeg_read_scanlines(&jpeg, &row, 1);
        fwrite(row, 4, jpeg.output_width, stdout);
    }
    jpeg_finish_decompress(&jpeg);
    jpeg_destroy_decompress(&jpeg);
    free(row);
    return 0;
}

int main(int count, char **arguments) {
    if (count == 6 && !strcmp(arguments[1], "write")) return write_file(arguments + 2);
    if (count == 2 && !strcmp(arguments[1], "read")) return read_file();
    fprintf(stderr, "inks: see the head of inks.c\n");
    return 2;
}
