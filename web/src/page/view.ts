/** What a view of the page is: it gets a frame to draw into and the page's state, and draws while it is in sight. */

import type { Engine, Model } from 'transformer-wasm';
import type { Reading } from '../reading/reading.js';
import type { Selection, SelectionStore } from '../selection/selection.js';
import type { Frame } from './frame.js';
import type { Note } from './notes.js';

/** A part of the model, as the map names it. */
export type Part =
  | 'words'
  | 'positions'
  | 'encoder-attention'
  | 'encoder-feed-forward'
  | 'decoder-attention'
  | 'cross-attention'
  | 'decoder-feed-forward'
  | 'softmax';

/** What a card of the workbench has besides the view that it opens with. */
export interface Card {
  /** What the map calls it. */
  readonly name: string;
  /** Where the idea is from; '' where it is nobody's in particular. */
  readonly source: string;
  /** The address of its paper. */
  readonly paper?: string;
  /** Something to try. */
  readonly attempt: string;
  /** The parts of the model that it is about: those that the map lights. */
  readonly parts: readonly Part[];
}

/** What a chapter of the story has besides the view that it opens with. */
export interface Chapter extends Card {
  /** What the reader asks, and it answers. */
  readonly question: string;
  /** For a teacher's sheet: what to find out, and the answer. */
  readonly sheet: { readonly question: string; readonly answer: string };
  /** Whether its figure is one of the large ones. */
  readonly isLarge?: boolean;
}

/** An entry in the list of views; the code behind it is loaded when the view comes near. */
export interface View {
  /** Its anchor, its name in `?embed=` and in the names of its settings. */
  readonly id: string;
  /** The chapter that it opens; a view without chapter and card belongs to the one before it. */
  readonly chapter?: Chapter;
  /** The card of the workbench that it opens. */
  readonly card?: Card;
  /** The heading: a claim that the picture shows. */
  readonly claim: string;
  /** At most 40 words. */
  readonly text: string;
  /** What belongs to its figure and has none of its own. */
  readonly notes?: readonly Note[];
  /** Whether its picture is of the sentence, and must go where there is none. */
  readonly isOfSentence?: boolean;
  /** Whether it shows queries and keys, layers or positions of the model, which a recurrent one does not have. */
  readonly isOfTransformer?: boolean;
  readonly load: () => Promise<ViewClass>;
}

/** A view: made once, when it first comes near, and drawn from the page's state. */
export interface DrawnView {
  /**
   * Draws the state: at first, and after changes while the view is in sight. Calls do not overlap: where something
   * changes during a call, its signal is aborted, and the next call follows.
   */
  draw(state: State): void | Promise<void>;
}

export type ViewClass = new (frame: Frame, page: Page) => DrawnView;

export interface State {
  readonly selection: Selection;
  readonly reading: Reading;
  readonly signal: AbortSignal;
}

/** What all views share. */
export interface Page {
  readonly selection: SelectionStore;
  /** Waits until the engine is there. It runs in a worker: computing never blocks the page. */
  engine(): Promise<Engine>;
  /** Waits until the model is there: ours, or the visitor's own. */
  model(): Promise<Model>;
  /** Shows this model in all views, in place of the former one, which is freed; `null`: ours again. */
  use(model: Model | null): void;
  /** Whether the model is the visitor's own. */
  isVisitors(): boolean;
}
