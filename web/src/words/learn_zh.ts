/** Chinese: what “Watch it learn” says. */

import type { Shown } from './en.js';
import type { LearnWords } from './learn_en.js';

export const zh: LearnWords = {
  texts: {
    task: '学习',
    without: '把它弄坏',
    two: '并排比较两个种子',
    learn: '开始学习',
    stop: '停止',
    goOn: '继续',
    again: '从头开始',
    time: '回到过去',
    head: '头',
    allHeads: '全部的平均',
    own: '你来提问',
  },
  tasks: { reverse: '倒写单词', add: '加法', translate: '翻译二十个句子' },
  without: { nothing: '什么都不去掉', positions: '没有位置', scale: '不除以 √d', mask: '没有掩码' },
  hints: {
    reverse: '二到八个字母，a 到 z',
    add: '两个不超过三位的数，例如 478 + 356',
    translate:
      '它认识的词：The black, white, green cat, dog, mouse, cow, bird is tired, small, old, happy, beautiful.',
  },
  captions: {
    reverse: '它看哪里：每写一个字母占一行。圆点是空位。',
    add: '它看哪里：每写一位数字占一行。个位在最前。',
    translate: '它看哪里：每写一个法语词占一行，左边是英语，右边是它自己写的法语。',
  },
  seed: (seed: Shown) => `种子 ${seed}`,
  step: (step: Shown) => `第 ${step} 步`,
  steps: (steps: Shown) => `${steps} 步`,
  loss: '损失',
  lossOf: (loss: Shown) => `损失 ${loss}`,
  rightAxis: '正确',
  right: (right: Shown, all: Shown) => `${all} 个新例中对了 ${right} 个`,
  byHeart: (right: Shown, all: Shown) => `${all} 句中记住了 ${right} 句`,
  isRight: '正确',
  isWrong: '错误',
  map: '注意力：每个要写的词元一行，每个看得到的词元一列',
  cell: (row: Shown, column: Shown, weight: Shown) => `写 ${row} 时看 ${column}：${weight}`,
  curve: (step: Shown, loss: Shown) => `每一步的损失。第 ${step} 步为 ${loss}。`,
  table: '损失和正确答案数随时间的变化',
  columns: {
    loss: (seed: Shown) => `损失，种子 ${seed}`,
    right: (seed: Shown) => `正确，种子 ${seed}`,
  },
  states: {
    idle: '点击“开始学习”：随后加载训练部分，并迈出第一步。',
    opening: '正在加载训练部分……',
    learning: '它正在学习。拖动滑块可以回到过去，学习不会中断。',
    stopped: '已停止。拖动滑块可以回到过去。',
    failed: '已结束。',
  },
  back: (step: Shown, loss: Shown) => `这是第 ${step} 步时的样子，损失为 ${loss}。`,
  done: (steps: Shown, right: Shown, all: Shown) =>
    `${steps} 步之后，${all} 个从未见过的例子中对了 ${right} 个。`,
  doneByHeart: (right: Shown, all: Shown) => `学过的 ${all} 句中，它记住了 ${right} 句。`,
  measured: (steps: Shown, right: Shown, all: Shown, whole: Shown) =>
    `实测（种子 1，${steps} 步之后）：${all} 个中对了 ${right} 个；什么都不去掉时为 ${whole} 个。`,
  why: {
    positions: {
      reverse:
        '没有位置，注意力只看得到有哪些字母，看不到它们在哪里：“ab”和“ba”看起来一样。它无从知道哪个字母在最后。',
      add: '没有位置，注意力只看得到有哪些数字，看不到它们在哪里：12 + 345 和 21 + 543 看起来一样。',
      translate:
        '没有位置，它看不到词的顺序。这里每个词本身就说明了自己是什么，所以二十个句子照样能学会，但遇到新句子时错得更多。',
    },
    scale: {
      reverse: (scale: Shown, largest: Shown, usual: Shown) =>
        `不除以 √d，分数会大到 ${scale} 倍。softmax 还没学到什么就已认定：每行最大的权重平均为 ${largest}，而不是 ${usual}。梯度几乎消失，注意力很晚才找到方向，甚至永远找不到。`,
      add: (scale: Shown, largest: Shown, usual: Shown) =>
        `不除以 √d，分数会大到 ${scale} 倍。softmax 还没学到什么就已认定：每行最大的权重平均为 ${largest}，而不是 ${usual}。梯度几乎消失，学习要慢得多。`,
      translate: (scale: Shown, largest: Shown, usual: Shown) =>
        `不除以 √d，分数会大到 ${scale} 倍，softmax 还没学到什么就已认定：每行最大的权重平均为 ${largest}，而不是 ${usual}。可选的词这么少，在这里并无妨碍。`,
    },
    mask: '没有掩码，每个位置都看得到自己要写的那个词元，直接照抄：损失几乎降到零。等它自己写的时候，那个词元还不存在。',
  },
  notFinite: (step: Shown) => `第 ${step} 步时损失已不再是一个数：步子变得太大了。请从头开始。`,
};
