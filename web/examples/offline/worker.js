// Keeps what the page has fetched, and answers from there when there is no network: the page, the engine, the model.

const name = 'offline-translator';

// The page itself was fetched before this worker existed.
self.addEventListener('install', (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(name).then((cache) => cache.add('./')));
});
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

self.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !request.url.startsWith('http')) return;
  event.respondWith(answer(request));
});

/** From the network, so that changes arrive; from the cache where there is none. */
async function answer(request) {
  const cache = await caches.open(name);
  try {
    const response = await fetch(request);
    if (response.status === 200) await cache.put(request, response.clone());
    return response;
  } catch (error) {
    const kept = await cache.match(request, { ignoreVary: true });
    if (kept) return kept;
    throw error;
  }
}
