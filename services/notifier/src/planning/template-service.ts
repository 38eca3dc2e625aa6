import type { PreviewTemplate, PutTemplate, Template } from '@ops/contracts/resources/alert-plan';
import type { Actor } from '@ops/contracts/roles';
import type { Db, Trx } from '@ops/service-kit/database';
import { unprocessable } from '@ops/service-kit/errors';
import { requireMatch } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import type { TemplateKey } from './template-store.ts';
import * as store from './template-store.ts';
import { canonicalLocale, problemsOf, render, type Words } from './words.rules.ts';

export const listTemplates = async (db: Db): Promise<{ data: Template[] }> => ({ data: await store.allTemplates(db) });

export async function putTemplate(
  deps: Deps,
  trx: Trx,
  asked: TemplateKey,
  words: PutTemplate,
  actor: Actor,
  ifMatch: string | undefined,
): Promise<{ template: Template; created: boolean }> {
  refuseProblems(words, asked);
  const key = { ...asked, locale: canonicalLocale(asked.locale) ?? refuseLocale() };
  const stored = await store.lockTemplate(trx, key);
  requireMatch(ifMatch, stored?.version);
  if (stored && stored.subject === words.subject && stored.body === words.body)
    return { template: stored, created: false };
  if (stored) return { template: await store.updateTemplate(trx, key, words, actor.sub, deps.now()), created: false };
  const created = await store.insertTemplate(trx, key, words, actor.sub, deps.now());
  // A twin wrote it while this one looked: now there is a row to lock.
  return created ? { template: created, created: true } : putTemplate(deps, trx, key, words, actor, ifMatch);
}

export function previewTemplate(key: TemplateKey, { subject, body, ...given }: PreviewTemplate): Words {
  refuseProblems({ subject, body }, key);
  return render({ subject, body }, given, key.locale);
}

function refuseProblems(words: PutTemplate, { channel }: TemplateKey): void {
  const problems = problemsOf(words, channel);
  if (problems.length > 0) throw unprocessable(problems);
}

function refuseLocale(): never {
  throw unprocessable([{ path: 'locale', message: 'is not a language tag' }]);
}
