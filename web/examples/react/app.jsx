import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { useModel, useTranslation } from './use_translation.js';

// In `public`, which Vite serves as it is.
const source = '/models/en-fr';

function Translator() {
  const [text, setText] = useState('The cat sat on the mat.');
  const { model, progress, error: loadError } = useModel(source);
  const { translation, isDone, error } = useTranslation(model, text);
  return (
    <main>
      <label>
        English <input value={text} onChange={(event) => setText(event.target.value)} size="50" />
      </label>
      {!model && <progress value={progress} />}
      <p lang="fr" aria-live="polite" aria-busy={!isDone}>
        {translation}
      </p>
      <p role="alert">{(loadError ?? error)?.message}</p>
    </main>
  );
}

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <Translator />
  </StrictMode>,
);
