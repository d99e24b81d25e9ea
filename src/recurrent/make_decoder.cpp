#include "recurrent/make_decoder.h"

#include "recurrent/bahdanau_decoder.h"
#include "recurrent/luong_decoder.h"

namespace transformer {

std::unique_ptr<const RecurrentDecoder> make_decoder(const WeightScope& scope, const RecurrentConfig& config,
                                                     SharedMatrix embedding) {
  if (config.design == DecoderDesign::kLuong) {
    return std::make_unique<LuongDecoder>(scope, config, std::move(embedding));
  }
  return std::make_unique<BahdanauDecoder>(scope, config, std::move(embedding));
}

}  // namespace transformer
