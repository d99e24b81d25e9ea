/** The steps from a picture to what a model reads, as preprocessor_config.json lists them. */

import { Fields } from '../files/fields.js';
import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import type { ImageSize, PixelPlan, RawImage } from './embind.js';

const file = 'preprocessor_config.json';

/** By Pillow's numbers. */
const kernels = ['nearest', 'lanczos', 'bilinear', 'bicubic', 'box', 'hamming'] as const;

/** The defaults of each class of processors, for fields that the file leaves out. */
const defaults: Readonly<Record<string, JsonObject>> = {
  ViT: { do_resize: true, do_rescale: true, do_normalize: true, resample: 2 },
  DeiT: { do_resize: true, do_center_crop: true, do_rescale: true, do_normalize: true, resample: 3 },
  CLIP: { do_resize: true, do_center_crop: true, do_rescale: true, do_normalize: true, resample: 3 },
  Bit: { do_resize: true, do_center_crop: true, do_rescale: true, do_normalize: true, resample: 3 },
  Siglip: { do_resize: true, do_rescale: true, do_normalize: true, resample: 3 },
  Siglip2: { do_resize: true, do_rescale: true, do_normalize: true, resample: 2 },
  DINOv3ViT: {
    do_resize: true,
    do_rescale: true,
    do_normalize: true,
    resample: 2,
    image_mean: [0.485, 0.456, 0.406],
    image_std: [0.229, 0.224, 0.225],
  },
};

/** The class of processor that preprocessor_config.json names, such as `CLIP`. */
function processorOf(json: JsonObject | null): string {
  const kind = String(json?.image_processor_type ?? json?.feature_extractor_type ?? 'ViTImageProcessor');
  const name = /^(.*?)(ImageProcessor|FeatureExtractor)/.exec(kind)?.[1] ?? '';
  return Object.hasOwn(defaults, name)
    ? name
    : fail('unsupported', `${file}: the image processor '${kind}' is not supported`);
}

/** The fields of preprocessor_config.json, with the defaults of its class. */
export const processorFields = (json: JsonObject | null): Fields =>
  new Fields({ ...defaults[processorOf(json)], ...json }, file);

/** The pictures that a model takes. */
interface PictureShape extends ImageSize {
  /** 1 (gray) or 3; default: 3. */
  readonly channels?: number;
}

/**
 * @param json preprocessor_config.json, where there is one
 * @param shape what the model takes
 * @throws TransformerError `bad_checkpoint`, `unsupported`
 */
export function pixelPlan(
  json: JsonObject | null,
  { rows, columns, channels = 3 }: PictureShape,
  image: RawImage,
): Partial<PixelPlan> {
  const fields = processorFields(json);
  const wanted = { height: rows, width: columns };
  const doesIf = (name: string) => fields.flag(name, false);
  const plan: Partial<PixelPlan> = { gray: channels === 1, floats: processorOf(json) === 'DINOv3ViT' };
  if (doesIf('do_resize')) {
    plan.size = sizeOf(fields.raw('size') ?? wanted, image, 'size');
    plan.resample =
      kernels[fields.count('resample', 2, 0)] ?? fail('unsupported', `${file}: resample is unknown`);
  }
  if (doesIf('do_center_crop')) plan.crop = sizeOf(fields.raw('crop_size') ?? wanted, image, 'crop_size');
  if (doesIf('do_rescale')) plan.rescale = fields.number('rescale_factor', 1 / 255);
  if (doesIf('do_normalize')) {
    plan.mean = colours(fields.raw('image_mean'), 'image_mean', channels);
    plan.deviation = colours(fields.raw('image_std'), 'image_std', channels);
  }
  return plan;
}

/** The most pixels that a picture is resized or cropped to: far more than a model takes. */
const maxPixels = 2 ** 24;

/** `{ height, width }`, `{ shortest_edge }`, or in older files one number for both. */
function sizeOf(value: unknown, { rows, columns }: RawImage, name: string): ImageSize {
  const isSize = (one: unknown): one is number => Number.isSafeInteger(one) && Number(one) > 0;
  const within = (size: ImageSize) =>
    size.rows * size.columns <= maxPixels
      ? size
      : fail(
          'bad_checkpoint',
          `${file}: ${name} ${JSON.stringify(value)} makes ${size.columns} x ${size.rows} pixels of a picture of ${columns} x ${rows}: more than ${maxPixels}`,
        );
  if (isSize(value)) return within({ rows: value, columns: value });
  if (isJsonObject(value)) {
    const { height, width, shortest_edge: edge } = value;
    if (isSize(height) && isSize(width)) return within({ rows: height, columns: width });
    if (isSize(edge)) {
      const scaled = (side: number) => Math.max(1, Math.floor((edge * side) / Math.min(rows, columns)));
      return within({ rows: scaled(rows), columns: scaled(columns) });
    }
  }
  return fail('bad_checkpoint', `${file}: ${name} is not a size: ${JSON.stringify(value)}`);
}

/** A number for each of the three colours that the signal module computes: for a model of gray pictures, the same. */
function colours(value: unknown, name: string, channels: number): number[] {
  const isColours = (list: unknown): list is number[] =>
    Array.isArray(list) && list.length === channels && list.every(Number.isFinite);
  const list = value ?? Array<number>(channels).fill(0.5);
  if (!isColours(list))
    fail(
      'bad_checkpoint',
      `${file}: ${name} needs ${channels === 1 ? 'one number' : `a number for each of ${channels} colours`}, got ${JSON.stringify(value)}`,
    );
  return channels === 1 ? [0, 1, 2].flatMap(() => list) : list;
}
