'use client';

import { useState } from 'react';

export default function Page() {
  const [translation, setTranslation] = useState('');

  async function translate(event) {
    event.preventDefault();
    setTranslation('');
    const text = new FormData(event.currentTarget).get('text');
    const response = await fetch('/api/translate', { method: 'POST', body: JSON.stringify({ text }) });
    if (!response.ok) {
      setTranslation((await response.json()).error);
      return;
    }
    // The answer arrives while it is written.
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      setTranslation((before) => before + value);
    }
  }

  return (
    <form onSubmit={translate}>
      <label>
        English <input name="text" defaultValue="The cat sat on the mat." size="50" />
      </label>
      <button type="submit">Translate</button>
      <p lang="fr" aria-live="polite">
        {translation}
      </p>
    </form>
  );
}
