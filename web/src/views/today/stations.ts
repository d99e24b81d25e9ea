/** Four stations of attention: Bahdanau et al. 2014, Luong et al. 2015, Vaswani et al. 2017, and what most models do now. */

import { words } from '../../words/words.js';

export interface Station {
  readonly year: string;
  readonly who: string;
  readonly asks: string;
  readonly score: string;
  readonly weights: string;
  readonly mix: string;
}

const [weights, mix] = [words.today.softmaxOfScores, words.today.sum];

export const stations: readonly Station[] = [
  {
    year: '2014',
    who: words.today.who2014,
    asks: words.today.asks2014,
    score: 'vᵀ tanh(W s + U h)',
    weights,
    mix,
  },
  {
    year: '2015',
    who: words.today.who2015,
    asks: words.today.asks2015,
    score: words.today.score2015,
    weights,
    mix,
  },
  {
    year: '2017',
    who: words.today.who2017,
    asks: words.today.asks2017,
    score: 'q · k / √d',
    weights,
    mix,
  },
  {
    year: words.today.today,
    who: words.today.whoToday,
    asks: words.today.asksToday,
    score: words.today.scoreToday,
    weights,
    mix,
  },
];
