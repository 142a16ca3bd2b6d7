/**
 *  @brief Reading a checkpoint's configuration.
 *  @file config.h
 */
#ifndef UFORM_CONFIG_H
#define UFORM_CONFIG_H

#include "json.h"
#include "model.h"

/** Reads and checks the text under the key `uform`. After a fault the caller still drops what was read. */
fault_t config_read(config_t *config, json_text_t text);
void config_drop(config_t *config);

#endif // UFORM_CONFIG_H
