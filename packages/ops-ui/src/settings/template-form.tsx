import { Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { api, dataOf } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { Template } from '../api/types.ts';
import { LastChange } from '../history/last-change.tsx';
import { tell } from '../parts/told.tsx';
import { useServiceTypes } from '../renewals/service-types.ts';
import { type Draft, useDraft } from './draft.ts';
import { DraftForm } from './draft-form.tsx';
import { SaveBar } from './save-bar.tsx';
import { OnlyAdmins, useIsAdmin } from './section.tsx';
import { exampleIn } from './service-labels.ts';
import classes from './settings.module.css';
import { SeveralWords } from './several-words.tsx';
import {
  canonicalLocale,
  languageOf,
  languageOfSeveral,
  nameOfPlace,
  type SeveralDraft,
  severalToSend,
  type TemplatePlace,
  type Words,
  withInserted,
  wordsToSend,
} from './template-names.ts';
import { TemplatePreview } from './template-preview.tsx';
import { previewQuery, templatesQuery } from './template-queries.ts';
import { TemplateVariables } from './template-variables.tsx';
import { useSave } from './use-save.ts';

interface TemplateFormProps {
  place: TemplatePlace;
  /** Undefined: in a language that has none yet. */
  template: Template | undefined;
  all: readonly Template[];
  open(place: TemplatePlace): void;
}

const draftNameOf = (place: TemplatePlace) => `template:${nameOfPlace(place)}`;

const previewAfterMs = 300;

export function TemplateForm({ place, template, all, open }: TemplateFormProps) {
  const isAdmin = useIsAdmin();
  const { channel } = place;
  const draft = useDraft(draftNameOf(place), savedWords(template, place, all), template?.version ?? 0);
  const { subject, body, locale } = draft.value;
  const save = useSavedWords(draft, place, template, open);
  const { inLocale, service, preview } = useTried(place, draft.value);
  const wrong = (path: string) =>
    save.field(path) ?? (preview.error ? asProblem(preview.error).field(path) : undefined);
  const isTaken = !template && isThere(all, { ...place, locale });
  const field = useRef<HTMLTextAreaElement>(null);
  const insert = (variable: string) => {
    const { selectionStart: from = body.length, selectionEnd: until = body.length } = field.current ?? {};
    draft.write({ body: withInserted(body, variable, from, until) });
    requestAnimationFrame(() => goTo(field.current, from + variable.length));
  };
  return (
    <DraftForm className={classes.form} draft={draft} save={save} isTaken={isTaken}>
      {!isAdmin && <OnlyAdmins />}
      {!template && (
        <LanguageField
          locale={locale}
          write={draft.write}
          error={isTaken ? 'There are words in this language already' : save.field('locale')}
        />
      )}
      {channel === 'EMAIL' && (
        <TextInput
          label="Subject"
          value={subject}
          onChange={({ currentTarget }) => draft.write({ subject: currentTarget.value })}
          error={wrong('subject')}
          readOnly={!isAdmin}
          maxLength={200}
        />
      )}
      <Textarea
        ref={field}
        label="Text"
        value={body}
        onChange={({ currentTarget }) => draft.write({ body: currentTarget.value })}
        error={wrong('body')}
        readOnly={!isAdmin}
        autosize
        minRows={4}
        maxRows={16}
        maxLength={4_096}
      />
      {isAdmin && <TemplateVariables insert={insert} />}
      <TemplatePreview preview={preview} channel={channel} />
      <SeveralWords
        place={{ ...place, locale: inLocale }}
        instead={template ? languageOfSeveral(all, template) : null}
        areThere={template?.several != null}
        words={draft.value}
        write={draft.write}
        refused={save.field}
        service={service}
        isAdmin={isAdmin}
      />
      {template && <TemplateHistory template={template} />}
      {isAdmin && (
        <SaveBar
          draft={draft}
          save={save}
          fields={['subject', 'body', 'locale', 'several.subject', 'several.body']}
          theirs={template && [template.subject, template.body].filter(Boolean).join('\n')}
        />
      )}
    </DraftForm>
  );
}

function TemplateHistory({ template: { rung, channel, locale, updated_at, updated_by } }: { template: Template }) {
  const path = { rung, channel, locale };
  return (
    <LastChange
      at={updated_at}
      by={updated_by}
      queryKey={[...templatesQuery.queryKey, rung, channel, locale]}
      ask={(query, signal) =>
        dataOf(api.GET('/ops/templates/{rung}/{channel}/{locale}/history', { params: { path, query }, signal }))
      }
    />
  );
}

/** What a customer would read of the words as they stand. */
function useTried(place: TemplatePlace, words: WrittenWords) {
  const [tried] = useDebouncedValue(words, previewAfterMs);
  const inLocale = localeToTry(tried.locale);
  const service = exampleIn(inLocale, useServiceTypes());
  return { inLocale, service, preview: useQuery(previewQuery({ ...place, locale: inLocale }, tried, service)) };
}

interface LanguageFieldProps {
  locale: string;
  write(change: { locale: string }): void;
  error: string | undefined;
}

const LanguageField = ({ locale, write, error }: LanguageFieldProps) => (
  <TextInput
    label="Language"
    description="A language tag, such as de or de-CH"
    value={locale}
    onChange={({ currentTarget }) => write({ locale: currentTarget.value })}
    error={error}
    maxLength={35}
  />
);

function goTo(field: HTMLTextAreaElement | null, at: number): void {
  field?.focus();
  field?.setSelectionRange(at, at);
}

type WrittenWords = Words & SeveralDraft & { locale: string };
type WordsDraft = Draft<WrittenWords>;

const useSavedWords = (
  draft: WordsDraft,
  { rung, channel }: TemplatePlace,
  template: Template | undefined,
  open: TemplateFormProps['open'],
) =>
  useSave({
    draft,
    queryKey: templatesQuery.queryKey,
    send: (value, header) =>
      dataOf(
        api.PUT('/ops/templates/{rung}/{channel}/{locale}', {
          params: { path: { rung, channel, locale: value.locale.trim() }, header },
          body: { ...wordsToSend(value, channel), several: severalToSend(value, channel, template?.several != null) },
        }),
      ),
    nameOf: (result) => draftNameOf(result),
    saved: (result) => {
      tell(`The words in ${languageOf(result.locale)} are saved.`);
      open(result);
    },
  });

/** A new language begins with the English words, to be translated. */
function savedWords(
  template: Template | undefined,
  { rung, channel }: TemplatePlace,
  all: readonly Template[],
): WrittenWords {
  const from = template ?? all.find((one) => one.rung === rung && one.channel === channel && one.locale === 'en');
  const { subject, body } = from?.several ?? {};
  const several = { severalSubject: subject ?? '', severalBody: body ?? '' };
  return { subject: from?.subject ?? '', body: from?.body ?? '', ...several, locale: template?.locale ?? '' };
}

const isThere = (all: readonly Template[], { rung, channel, locale }: TemplatePlace): boolean =>
  all.some(
    (one) => one.rung === rung && one.channel === channel && one.locale === canonicalLocale(locale?.trim() ?? ''),
  );

/** Words are tried in English until a whole tag is typed. */
const localeToTry = (typed: string): string =>
  /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(typed.trim()) ? typed.trim() : 'en';
