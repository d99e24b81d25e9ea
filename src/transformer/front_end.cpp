#include "transformer/front_end.h"

#include <algorithm>

namespace transformer {

namespace {

// A batch of frames [batch * time, width].
struct Frames {
  View rows;
  int batch;
  int time;
};

// The shape without its batch axis, if it has one.
Shape inner_of(const Shape& shape, int axes) {
  return count_of(shape) == axes + 1 ? Shape(shape.begin() + 1, shape.end()) : shape;
}

int batch_of(const Shape& shape, int axes) { return count_of(shape) == axes + 1 ? shape[0] : 1; }

// [batch, bands, frames] -> [batch * frames, bands]
Frames features_of(const Tensor& given, const FramesConfig& config, Workspace& workspace) {
  const auto [bands, frames, _] = config;
  require(inner_of(given.shape(), 2) == Shape{bands, frames} && given.size() > 0,
          "inputFeatures must have the shape [batch, bands, frames] = [batch, ", bands, ", ", frames, "], got ",
          to_string(given.shape()));
  const int batch = batch_of(given.shape(), 2);
  const View rows = workspace.arena.take(batch * frames, bands);
  const float* from = given.data();
  for (int i = 0; i < batch; ++i) {
    for (int band = 0; band < bands; ++band) {
      for (int frame = 0; frame < frames; ++frame) rows.row(i * frames + frame)[band] = *from++;
    }
  }
  return {rows, batch, frames};
}

// [batch, samples] -> [batch * samples, 1]
Frames samples_of(const Tensor& given, int least) {
  const Shape& shape = given.shape();
  require((shape.size() == 1 || shape.size() == 2) && given.size() > 0 && shape.back() >= least,
          "inputValues must have the shape [batch, samples] with at least ", least, " samples, got ", to_string(shape));
  const int time = shape.back(), batch = batch_of(shape, 1);
  // Nothing writes to them.
  return {{const_cast<float*>(given.data()), batch * time, 1, 1}, batch, time};
}

// Frame i is real if the sample at which it would begin without windows is.
Tensor mask_of_frames(const Tensor& mask, const Frames& samples, int time, int step) {
  const bool is_row = samples.batch == 1 && mask.shape() == Shape{samples.time};
  require(is_row || mask.shape() == Shape{samples.batch, samples.time}, "attentionMask has the shape ",
          to_string(mask.shape()), ", but its input has [", samples.batch, ", ", samples.time, "]");
  Tensor of_frames({samples.batch, time});
  for (int row = 0; row < samples.batch; ++row) {
    for (int frame = 0; frame < time; ++frame) {
      of_frames.matrix().row(row)[frame] =
          mask.data()[std::ptrdiff_t{row} * samples.time + std::ptrdiff_t{frame} * step];
    }
  }
  return of_frames;
}

}  // namespace

FrontEnd::FrontEnd(const WeightScope& scope, const FrontEndConfig& config, int d_model) {
  if (const auto* patches = std::get_if<PatchesConfig>(&config)) {
    patches_.emplace(scope, *patches, d_model);
    return;
  }
  frames_ = std::get<FramesConfig>(config);
  require(!frames_.convolutions.empty(), "a front end of sound needs a convolution");
  int width = std::max(1, frames_.bands);
  for (const ConvolutionConfig& convolution : frames_.convolutions) {
    convolutions_.emplace_back(scope, width, convolution);
    width = convolution.out_width;
  }
  require(width == d_model, "the last convolution must have the width dModel (", d_model, "), got ", width);
}

int FrontEnd::least_samples() const {
  int frames = 1;
  for (auto convolution = convolutions_.rbegin(); convolution != convolutions_.rend(); ++convolution) {
    frames = convolution->frames_for(frames);
  }
  return frames;
}

MediaTensors FrontEnd::smallest() const {
  if (!patches_) {
    return {Tensor::zeros(frames_.bands > 0 ? Shape{frames_.bands, frames_.frames} : Shape{least_samples()}), {}, {}};
  }
  const PatchesConfig& config = patches_->config();
  if (config.sizes == PictureSizes::kPatches) return {Tensor::zeros({1, config.patch_size()}), {}, {1, 1}};
  const bool is_fixed = config.sizes == PictureSizes::kFixed;
  return {
      Tensor::zeros({config.channels, is_fixed ? config.height : config.patch, is_fixed ? config.width : config.patch}),
      {},
      {}};
}

EncodedMedia FrontEnd::forward(const MediaTensors& media, Workspace& workspace) const {
  const PathScope part(workspace, "front");
  const Arena::Scope scope(workspace.arena);
  return patches_ ? encode_pictures(media, workspace) : encode_sound(media, workspace);
}

EncodedMedia FrontEnd::encode_sound(const MediaTensors& media, Workspace& workspace) const {
  if (frames_.bands > 0 && !media.mask.empty()) fail(ErrorCode::kUnsupported, "inputFeatures cannot be masked");
  const Frames input =
      frames_.bands > 0 ? features_of(media.values, frames_, workspace) : samples_of(media.values, least_samples());
  Frames x = input;
  Tensor result;
  int step = 1;
  for (const Convolution& convolution : convolutions_) {
    const int time = convolution.steps(x.time), width = convolution.out_width();
    const bool is_last = &convolution == &convolutions_.back();
    if (is_last) result = Tensor({input.batch, time, width});
    const View next = is_last ? result.matrix() : workspace.arena.take(input.batch * time, width);
    for (int i = 0; i < input.batch; ++i) {
      convolution.forward(x.rows.row_range(i * x.time, x.time), next.row_range(i * time, time), workspace);
    }
    workspace.offer(convolution.name(), next, {input.batch, time, width});
    x = {next, input.batch, time};
    step *= convolution.stride();
  }
  EncodedMedia encoded = {std::move(result), {}};
  if (!media.mask.empty()) encoded.mask = mask_of_frames(media.mask, input, x.time, step);
  return encoded;
}

namespace {

Pictures pixels_of(const Tensor& given, const PatchesConfig& config) {
  const Shape& shape = given.shape();
  const Shape one = inner_of(shape, 3);
  const auto& [channels, height, width, patch, prefix, bias, positions, sizes] = config;
  if (sizes == PictureSizes::kAnySize) {
    require(one.size() == 3 && one[0] == channels && std::min(one[1], one[2]) >= patch && given.size() > 0,
            "pixelValues must have the shape [batch, ", channels, ", height, width] with sides of at least ", patch,
            ", got ", to_string(shape));
  } else {
    require(one == Shape{channels, height, width} && given.size() > 0,
            "pixelValues must have the shape [batch, channels, height, width] = [batch, ", channels, ", ", height, ", ",
            width, "], got ", to_string(shape));
  }
  return {given.data(), batch_of(shape, 3), one[1], one[2], 0, {}};
}

Pictures patches_of(const MediaTensors& media, const PatchesConfig& config) {
  const Shape& shape = media.values.shape();
  require((shape.size() == 2 || shape.size() == 3) && shape.back() == config.patch_size() && media.values.size() > 0,
          "pixelValues must be patches [batch, patches, ", config.patch_size(), "], got the shape ", to_string(shape));
  const int batch = batch_of(shape, 2), most = shape[shape.size() - 2];
  require(!media.grids.empty(), "spatialShapes is missing: the rows and columns of patches of each picture");
  Pictures pictures = {media.values.data(), batch, 0, 0, most, {}};
  bool fit = count_of(media.grids) == 2 * batch;
  for (int i = 0; fit && i < batch; ++i) {
    const Grid grid = {media.grids[2 * i], media.grids[2 * i + 1]};
    fit = grid.rows > 0 && grid.columns > 0 && grid.rows <= most / grid.columns;
    pictures.grids.push_back(grid);
  }
  require(fit, "spatialShapes must be [rows, columns] of at most ", most, " patches for each of ", batch, " pictures");
  return pictures;
}

// As the caller says, or by the grids; empty: all patches are real.
Tensor mask_of_patches(const Tensor& given, const Pictures& pictures) {
  const Shape shape = {pictures.batch, pictures.most};
  if (!given.empty()) {
    require(given.size() == element_count(shape), "pixelAttentionMask must be ", to_string(shape), ", got ",
            to_string(given.shape()));
    return given.clone().reshaped(shape);
  }
  const bool are_full = std::all_of(pictures.grids.begin(), pictures.grids.end(),
                                    [&](const Grid& grid) { return grid.cells() == pictures.most; });
  if (are_full) return {};
  Tensor mask = Tensor::zeros(shape);
  for (int i = 0; i < pictures.batch; ++i) std::fill_n(mask.matrix().row(i), pictures.grids[i].cells(), 1.0f);
  return mask;
}

}  // namespace

EncodedMedia FrontEnd::encode_pictures(const MediaTensors& media, Workspace& workspace) const {
  const bool are_patches = patches_->config().sizes == PictureSizes::kPatches;
  const Pictures pictures =
      are_patches ? patches_of(media, patches_->config()) : pixels_of(media.values, patches_->config());
  if (!are_patches && !media.mask.empty()) fail(ErrorCode::kUnsupported, "this model does not take pixelAttentionMask");
  if (!are_patches && !media.grids.empty()) fail(ErrorCode::kUnsupported, "this model does not take spatialShapes");
  const int tokens = patches_->tokens_of(pictures);
  EncodedMedia encoded = {Tensor({pictures.batch, tokens, patches_->d_model()}), {}};
  if (are_patches) {
    encoded.mask = mask_of_patches(media.mask, pictures);
    const auto& grids = pictures.grids;
    if (std::count(grids.begin(), grids.end(), grids.front()) == count_of(grids)) encoded.grid = grids.front();
  } else {
    encoded.grid = patches_->grid_of(pictures);
  }
  patches_->forward(pictures, encoded.vectors.matrix(), workspace);
  workspace.offer("patches", encoded.vectors.matrix(), {pictures.batch, tokens, patches_->d_model()});
  return encoded;
}

}  // namespace transformer
