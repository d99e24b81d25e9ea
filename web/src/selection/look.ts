/** Which heads a picture of attention is drawn from: the one that was taught where to look, the others, or all. */

export const lookNames = ['mean', 'taught', 'found'] as const;

export type Look = (typeof lookNames)[number];

/** Reads a look; what is none is the mean. */
export const parseLook = (name: string | null): Look => lookNames.find((one) => one === name) ?? 'mean';
