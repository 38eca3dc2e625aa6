import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  longestWords,
  roomFor,
  usualTemplate,
  wordsInTemplate,
} from '../../packages/ops-ui/src/customers/template-rules.ts';
import {
  asParameter,
  bestTemplate,
  longestParameter,
} from '../../services/notifier/src/senders/cloud-api/template.rules.ts';

/** The pages show beforehand what the service does: each has the rule for itself, and they are one. */
const language = fc.constantFrom('en', 'de', 'pt', 'en_GB', 'en_US', 'pt_BR', 'de_CH', 'fil', 'zh_Hant');
const templates = fc.array(fc.record({ name: fc.constantFrom('one', 'two'), language }), { maxLength: 5 });
const locale = fc.option(
  fc.constantFrom('en', 'en-GB', 'EN-gb', 'en_GB', 'de', 'de-AT', 'pt-BR', 'fil-PH', 'zh-Hant-TW', 'fi', ''),
);

test('the template the page begins with is the one the service would take', () => {
  fc.assert(
    fc.property(templates, locale, (approved, of) => {
      expect(usualTemplate(approved, of)).toBe(bestTemplate(approved, of));
    }),
    { seed: 1, numRuns: 500 },
  );
});

test('what the page calls too long for a template is what the service refuses, and nothing else', () => {
  const near = fc.integer({ min: -3, max: 3 }).map((more) => 'a'.repeat(longestParameter + more));
  const blank = fc.constantFrom('', ' ', '\n\n', '\t ', '\u00a0');
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), near), blank, blank, (words, before, after) => {
      const body = before + words + after;
      expect(wordsInTemplate(body)).toBe(asParameter(body));
      expect(roomFor(body).problem === null).toBe(asParameter(body).length <= longestParameter);
    }),
    { seed: 1, numRuns: 500 },
  );
  expect(longestWords).toBe(longestParameter);
});
