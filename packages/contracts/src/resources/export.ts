import { z } from 'zod';

/** What somebody is told who takes an archive along; a file, so nothing in the documents but that. */
export const customerArchive = z.string().meta({
  format: 'binary',
  description:
    'A zip: `index.html` to read, JSON by service and kind, files as they came, and at the end `manifest.json` with what was taken from where',
});
