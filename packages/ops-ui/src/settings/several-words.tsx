import { Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { asProblem } from '../api/problem.ts';
import classes from './settings.module.css';
import { languageOf, type SeveralDraft, type TemplatePlace } from './template-names.ts';
import { TemplatePreview } from './template-preview.tsx';
import { severalPreviewQuery } from './template-queries.ts';

interface SeveralWordsProps {
  place: TemplatePlace;
  /** In which language such a message goes out as long as this one has no words for it. */
  instead: string | null;
  /** There are words for it, which can be written anew and not taken away. */
  areThere: boolean;
  words: SeveralDraft;
  write(change: Partial<SeveralDraft>): void;
  /** What the service refused of what was to be saved. */
  refused(path: string): string | undefined;
  /** What a renewal is called in this language. */
  service: string;
  isAdmin: boolean;
}

const previewAfterMs = 300;
const emptied = 'Cannot be empty: a message about several renewals needs words';

/** The words of a message that names several renewals, and what a customer would read of three. */
export function SeveralWords({ place, instead, areThere, words, write, refused, service, isAdmin }: SeveralWordsProps) {
  const [tried] = useDebouncedValue(words, previewAfterMs);
  const preview = useQuery(severalPreviewQuery(place, tried, service));
  const wrong = (path: string) =>
    refused(`several.${path}`) ?? (preview.error ? asProblem(preview.error).field(path) : undefined);
  const isEmptied = areThere && words.severalBody.trim() === '';
  return (
    <section className={classes.form} aria-label="One message about several renewals">
      {instead && (
        <Text size="sm">
          Messages about several renewals go out in {languageOf(instead)} until you write words for them here.
        </Text>
      )}
      {place.channel === 'EMAIL' && (
        <TextInput
          label="Heading of one about several renewals"
          value={words.severalSubject}
          onChange={({ currentTarget }) => write({ severalSubject: currentTarget.value })}
          error={wrong('subject')}
          readOnly={!isAdmin}
          maxLength={200}
        />
      )}
      <Textarea
        label="Words about several renewals"
        description="Between {{#renewals}} and {{/renewals}} is said of each: {{service}}, {{number}}, {{due_date}}, {{days}}"
        value={words.severalBody}
        onChange={({ currentTarget }) => write({ severalBody: currentTarget.value })}
        error={isEmptied ? emptied : wrong('body')}
        readOnly={!isAdmin}
        autosize
        minRows={4}
        maxRows={16}
        maxLength={4_096}
      />
      <TemplatePreview preview={preview} channel={place.channel} about="several" />
    </section>
  );
}
