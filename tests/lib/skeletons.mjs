// What must be the same in a document and in its translation, as parsers see it that are not the package's own.

import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { parse } from 'parse5';
import { parseAllDocuments, visit } from 'yaml';

const tagsOf = (html) => html.match(/<[^<>]*>/g) ?? [];

/** Blocks, code, targets, tags, by micromark. How a link names its target, and emphasis written with tags, may change. */
function ofMarkdown(text) {
  const own = text.replace(/^\uFEFF?---\n[\s\S]*?\n---\n/, '');
  const tree = fromMarkdown(own, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const shape = ({ type, children = [], value, url, depth }) => {
    if (type === 'text' || type === 'break') return [];
    const content = type === 'html' ? tagsOf(value) : (value ?? null);
    return [[type, depth ?? null, url ?? null, content, children.flatMap(shape)]];
  };
  return shape(tree);
}

function ofHtml(text) {
  const shape = ({ nodeName, attrs, childNodes = [], value }) => {
    if (nodeName === '#text') return /\S/.test(value) ? ['text'] : [];
    return [[nodeName, attrs ?? null, childNodes.flatMap(shape)]];
  };
  return shape(parse(text));
}

/** Keys, their order, and what is no text. */
const ofJson = (text) => {
  const shape = (value) => {
    if (typeof value === 'string') return placeholdersOf(value);
    if (Array.isArray(value)) return value.map(shape);
    return value && typeof value === 'object'
      ? Object.entries(value).map(([key, one]) => [key, shape(one)])
      : value;
  };
  return shape(JSON.parse(text.replace(/^\uFEFF/, '')));
};

/** Each placeholder as often as it stands there; tags may be parted with their words. */
const placeholdersOf = (value) =>
  [
    ...(value.match(/\{\{?(?:name|count|x)\}?\}|%(?:\d\$)?[sd@]|%\{\w+\}|\{\w+, \w+,/g) ?? []),
    ...new Set(value.match(/<\/?[a-z]\w*/g)),
  ].sort();

const ofYaml = (text) =>
  parseAllDocuments(text).map((document) => {
    const keys = [];
    visit(document, {
      Pair: (_, { key }) => void keys.push(String(key)),
      Scalar: (place, { value, type }) =>
        void (
          place === 'key' ||
          keys.push(
            typeof value === 'string' ? placeholdersOf(value) : value,
            type?.startsWith('BLOCK') ?? null,
          )
        ),
      Alias: (_, { source }) => void keys.push(`*${source}`),
    });
    return [keys, document.errors.length];
  });

/** The lines that are no text. */
const linesOf = (pattern) => (text) => text.split(/\r\n?|\n/).filter((line) => pattern.test(line));

const ofXml = (text) => [text.match(/<(?!\/?b>)[^<>]*>/g), placeholdersOf(text)];

const skeletons = {
  markdown: ofMarkdown,
  html: ofHtml,
  json: ofJson,
  yaml: ofYaml,
  srt: linesOf(/-->|^\d+$/),
  vtt: linesOf(/-->|^WEBVTT|^NOTE|^STYLE|^::cue/),
  po: linesOf(/^(?:#|msgid|msgctxt)/),
  strings: linesOf(/^(?:\/\*|\/\/)/),
  properties: linesOf(/^[#!]/),
  android: ofXml,
};

/** @returns a text that is equal for equal skeletons */
export const skeletonOf = (kind, text) => JSON.stringify(skeletons[kind](text));
