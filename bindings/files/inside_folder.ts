/** Names of files as a folder's own files give them, which must not lead out of it. */

/** Whether a name, perhaps a path such as `1_Pooling/config.json`, is of a file inside, on any system and server. */
export const isInsideFolder = (name: string): boolean =>
  !/[\\\0]|\p{Cs}/u.test(name) && name.split('/').every((part) => !/^(?:\.|%2e){0,2}$/i.test(part));
