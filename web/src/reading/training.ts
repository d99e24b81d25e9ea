/** What trains models: a part of the package that nothing else loads. The page that is a single file has no_training.ts in place of this. */

export const canTrain = true;

export const loadTraining = async () => (await import('transformer-wasm/train')).createTrainer;
