/** The formats of JSON Schema's strings, as expressions that take a part of what they allow, never more. */

import { type Form, refuse } from './form.js';
import { formOfRegex } from './regex.js';

const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,30}[a-zA-Z0-9])?';
const host = `${label}(?:\\.${label}){0,4}`;
/** Every day that each year has. */
const date =
  '[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))';
const time =
  '(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9])';
const byte = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const pathLetters = "[a-zA-Z0-9._~!$&'()*+,;=:@-]";

const formats: Readonly<Record<string, string>> = {
  date,
  time,
  'date-time': `${date}T${time}`,
  duration: 'P(?:[0-9]{1,6}W|[0-9]{1,6}D(?:T[0-9]{1,6}H(?:[0-9]{1,6}M)?)?|T[0-9]{1,6}[HMS])',
  email: `[a-zA-Z0-9](?:[a-zA-Z0-9_+-]|\\.[a-zA-Z0-9]){0,40}@${label}(?:\\.${label}){1,3}`,
  hostname: host,
  ipv4: `${byte}(?:\\.${byte}){3}`,
  ipv6: '[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){7}',
  uri: `https?://${host}(?::[1-9][0-9]{0,3})?(?:/${pathLetters}*)*(?:\\?${pathLetters}*)?(?:#${pathLetters}*)?`,
  uuid: '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
};

/** @throws TransformerError `unsupported`, naming a format that is not known */
export const formatForm = (name: string): Form =>
  formOfRegex(
    (Object.hasOwn(formats, name) ? formats[name] : undefined) ??
      refuse(`the format ${name} of jsonSchema is not supported`),
    true,
  );
