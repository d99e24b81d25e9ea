/** Four stations of attention: Bahdanau et al. 2014, Luong et al. 2015, Vaswani et al. 2017, and what most models do now. */

export interface Station {
  readonly year: string;
  readonly who: string;
  readonly asks: string;
  readonly score: string;
  readonly weights: string;
  readonly mix: string;
}

const [weights, mix] = ['softmax of the scores', 'Σ weight × value'];

export const stations: readonly Station[] = [
  {
    year: '2014',
    who: 'Bahdanau, Cho and Bengio',
    asks: 'the decoder’s last state, one word after the other',
    score: 'vᵀ tanh(W s + U h)',
    weights,
    mix,
  },
  {
    year: '2015',
    who: 'Luong, Pham and Manning',
    asks: 'the decoder’s state of now',
    score: 'sᵀ h,  sᵀ W h,  or in a window',
    weights,
    mix,
  },
  {
    year: '2017',
    who: 'Vaswani and others',
    asks: 'every word, at once, in several heads',
    score: 'q · k / √d',
    weights,
    mix,
  },
  {
    year: 'Today',
    who: 'nearly all language models',
    asks: 'every word; heads share their keys and values, which are kept',
    score: 'q · k / √d, both turned by their places, tile by tile',
    weights,
    mix,
  },
];
