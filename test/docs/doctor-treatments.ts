import { expect } from '@jest/globals';
import { runs, type Treatment } from './treatment.ts';

export const doctor = ['README.md', 'docs/integrating.md'].map(
  (document): Treatment => ({
    of: [document, 'npm run doctor'],
    run: async (command, reader) => {
      if (!command.endsWith('--compose'))
        return runs(({ out }, { url }) => expect(out).toContain(`at ${url}`))(command, reader);
      // Of the checkout itself, in which a test makes no secrets: whether it finds fault is not ours to say.
      const { code, out } = await reader.type(command);
      expect([0, 1]).toContain(code);
      expect(out).toContain('docker-compose.yml');
    },
  }),
);
