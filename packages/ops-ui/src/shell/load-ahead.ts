import type { AnyRouter } from '@tanstack/react-router';

const laterMs = 2_000;

/** Fetches every page once the first one is there: whoever goes offline can still go anywhere. */
export function loadAhead(router: AnyRouter): () => void {
  const timer = setTimeout(async () => {
    for (const route of Object.values(router.routesById)) if (navigator.onLine) await router.loadRouteChunk(route);
  }, laterMs);
  return () => clearTimeout(timer);
}
