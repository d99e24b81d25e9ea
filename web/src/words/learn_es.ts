/** Spanish: what “Watch it learn” says. */

import type { Shown } from './en.js';
import type { LearnWords } from './learn_en.js';

export const es: LearnWords = {
  texts: {
    task: 'aprender a',
    without: 'ahora, estropéelo',
    two: 'dos semillas a la vez',
    learn: 'Aprender',
    stop: 'Parar',
    goOn: 'Seguir',
    again: 'Empezar de nuevo',
    time: 'volver atrás',
    head: 'cabeza',
    allHeads: 'media de todas',
    own: 'pregúntele usted',
  },
  tasks: {
    reverse: 'invertir una palabra',
    add: 'sumar',
    translate: 'traducir veinte frases',
  },
  without: {
    nothing: 'sin quitar nada',
    positions: 'sin posiciones',
    scale: 'sin ÷ √d',
    mask: 'sin máscara',
  },
  hints: {
    reverse: 'de dos a ocho letras, de la a a la z',
    add: 'dos números de hasta tres cifras, por ejemplo 478 + 356',
    translate:
      'conoce: The black, white, green cat, dog, mouse, cow, bird is tired, small, old, happy, beautiful.',
  },
  captions: {
    reverse: 'Adónde mira: una fila por cada letra que escribe. Los puntos son huecos.',
    add: 'Adónde mira: una fila por cada cifra que escribe. Las unidades van primero.',
    translate:
      'Adónde mira: una fila por cada palabra francesa que escribe; el inglés a la izquierda, su propio francés a la derecha.',
  },
  seed: (seed: Shown) => `Semilla ${seed}`,
  step: (step: Shown) => `paso ${step}`,
  steps: (steps: Shown) => `${steps} pasos`,
  loss: 'pérdida',
  lossOf: (loss: Shown) => `pérdida ${loss}`,
  rightAxis: 'aciertos',
  right: (right: Shown, all: Shown) => `${right} aciertos de ${all} nuevos`,
  byHeart: (right: Shown, all: Shown) => `${right} de ${all} de memoria`,
  isRight: 'correcto',
  isWrong: 'incorrecto',
  map: 'Atención: una fila por cada token que se escribe, una columna por cada token que se puede ver',
  cell: (row: Shown, column: Shown, weight: Shown) => `Para escribir ${row}, mira ${column}: ${weight}`,
  curve: (step: Shown, loss: Shown) => `La pérdida, paso a paso. En el paso ${step} es ${loss}.`,
  table: 'La pérdida y los aciertos a lo largo del tiempo',
  columns: {
    loss: (seed: Shown) => `pérdida, semilla ${seed}`,
    right: (seed: Shown) => `aciertos, semilla ${seed}`,
  },
  states: {
    idle: 'Pulse «Aprender»: se carga la parte que entrena y se da el primer paso.',
    opening: 'Cargando la parte que entrena…',
    learning: 'Está aprendiendo. El control vuelve atrás en el tiempo mientras sigue.',
    stopped: 'Parado. El control vuelve atrás en el tiempo.',
    failed: 'Ha terminado.',
  },
  back: (step: Shown, loss: Shown) => `Tal como era en el paso ${step}, con una pérdida de ${loss}.`,
  done: (steps: Shown, right: Shown, all: Shown) =>
    `Tras ${steps} pasos, acierta ${right} de ${all} ejemplos que nunca ha visto.`,
  doneByHeart: (right: Shown, all: Shown) =>
    `De las ${all} frases con las que aprendió, sabe ${right} de memoria.`,
  measured: (steps: Shown, right: Shown, all: Shown, whole: Shown) =>
    `Medido con la semilla 1 tras ${steps} pasos: ${right} aciertos de ${all}; sin quitar nada, ${whole}.`,
  why: {
    positions: {
      reverse:
        'Sin posiciones, la atención ve qué letras hay, pero no dónde están: «ab» y «ba» parecen iguales. No puede saber cuál es la última.',
      add: 'Sin posiciones, la atención ve qué cifras hay, pero no dónde están: 12 + 345 y 21 + 543 parecen iguales.',
      translate:
        'Sin posiciones, no ve el orden de las palabras. Aquí cada palabra dice por sí misma lo que es: aprende igualmente las veinte frases, pero acierta menos con las nuevas.',
    },
    scale: {
      reverse: (scale: Shown, largest: Shown, usual: Shown) =>
        `Sin ÷ √d, las puntuaciones son ${scale} veces mayores. El softmax se decide antes de haber aprendido nada: el mayor peso de una fila es de media ${largest} en lugar de ${usual}. Su gradiente casi desaparece, y la atención encuentra su camino tarde o nunca.`,
      add: (scale: Shown, largest: Shown, usual: Shown) =>
        `Sin ÷ √d, las puntuaciones son ${scale} veces mayores. El softmax se decide antes de haber aprendido nada: el mayor peso de una fila es de media ${largest} en lugar de ${usual}. Su gradiente casi desaparece, y aprender lleva mucho más tiempo.`,
      translate: (scale: Shown, largest: Shown, usual: Shown) =>
        `Sin ÷ √d, las puntuaciones son ${scale} veces mayores, y el softmax se decide antes de haber aprendido nada: el mayor peso de una fila es de media ${largest} en lugar de ${usual}. Con tan pocas palabras entre las que elegir, aquí no perjudica.`,
    },
    mask: 'Sin máscara, cada posición ve el mismo token que debe escribir y lo copia: la pérdida baja a casi nada. Cuando el modelo escribe solo, ese token aún no está.',
  },
  notFinite: (step: Shown) =>
    `En el paso ${step} la pérdida ya no era un número: los pasos se habían hecho demasiado grandes. Empiece de nuevo.`,
};
