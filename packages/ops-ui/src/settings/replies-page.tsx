import { Button, CloseButton, Group, Textarea, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { CannedReplies } from '../api/types.ts';
import { cannedFields } from '../customers/canned.ts';
import { type CannedScope, cannedQuery } from '../customers/canned-queries.ts';
import { LastChange } from '../history/last-change.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { tell } from '../parts/told.tsx';
import { useDraft } from './draft.ts';
import { DraftForm } from './draft-form.tsx';
import classes from './replies.module.css';
import { SaveBar } from './save-bar.tsx';
import { Section } from './section.tsx';
import { useSave } from './use-save.ts';

const fieldWords = Object.entries(cannedFields).map(([name, words]) => `{{${name}}} is ${words}`);

/** Words that are written again and again. */
export const RepliesPage = () => (
  <>
    <Section
      title="My signature and replies"
      words={`The signature stands below the e-mails you write. Replies are found by “/” where one writes; in their words ${fieldWords.join(', ')}.`}
    >
      <Replies scope="own" />
    </Section>
    <Section title="Replies of everybody" words="Everybody here finds these too, and may change them.">
      <Replies scope="shared" />
    </Section>
  </>
);

function Replies({ scope }: { scope: CannedScope }) {
  const { data, error, isPending, refetch } = useQuery({ ...cannedQuery(scope), refetchOnMount: 'always' });
  if (isPending) return <Loading />;
  if (error) return <Failed problem={asProblem(error)} again={refetch} />;
  return <RepliesForm saved={data} />;
}

const History = ({ of: { scope, updated_at, updated_by } }: { of: CannedReplies }) => (
  <LastChange
    at={updated_at}
    by={updated_by}
    queryKey={cannedQuery(scope).queryKey}
    ask={(query, signal) => dataOf(api.GET('/ops/canned-replies/history', { params: { query }, signal }))}
  />
);

function RepliesForm({ saved }: { saved: CannedReplies }) {
  const { scope, replies, signature, version } = saved;
  const isOwn = scope === 'own';
  const draft = useDraft(`replies:${scope}`, { replies, signature: signature ?? '' }, version);
  const list = draft.value.replies;
  const save = useSave({
    draft,
    queryKey: cannedQuery(scope).queryKey,
    send: (value, header) => {
      const body = { replies: value.replies, ...(isOwn && { signature: value.signature.trim() || null }) };
      return dataOf(api.PUT('/ops/canned-replies', { params: { query: { scope }, header }, body }));
    },
    saved: () => tell(isOwn ? 'Your signature and replies are saved.' : 'The replies are saved.'),
  });
  const change = (n: number, by: Partial<CannedReplies['replies'][number]>) =>
    draft.write({ replies: list.map((one, at) => (at === n ? { ...one, ...by } : one)) });
  return (
    <DraftForm className={classes.replies} draft={draft} save={save}>
      {isOwn && (
        <Textarea
          w="100%"
          label="E-mail signature"
          value={draft.value.signature}
          onChange={({ currentTarget: { value } }) => draft.write({ signature: value })}
          error={save.field('signature')}
          autosize
          minRows={3}
          maxLength={2_000}
        />
      )}
      {list.length === 0 && <Empty>There is none yet.</Empty>}
      {list.map(({ title, body }, n) => (
        <fieldset key={n} className={classes.reply}>
          <Group gap="xs" align="end" wrap="nowrap">
            <TextInput
              flex={1}
              label="Name"
              value={title}
              onChange={({ currentTarget: { value } }) => change(n, { title: value })}
              error={save.field(`replies.${n}.title`)}
              maxLength={100}
            />
            <CloseButton
              onClick={() => draft.write({ replies: list.filter((_, at) => at !== n) })}
              aria-label={`Remove ${title || 'this reply'}`}
            />
          </Group>
          <Textarea
            label="Words"
            value={body}
            onChange={({ currentTarget: { value } }) => change(n, { body: value })}
            error={save.field(`replies.${n}.body`)}
            autosize
            minRows={2}
            maxLength={4_096}
          />
        </fieldset>
      ))}
      <Button
        variant="default"
        leftSection={<IconPlus size={16} />}
        onClick={() => draft.write({ replies: [...list, { title: '', body: '' }] })}
      >
        Add a reply
      </Button>
      {scope === 'shared' && <History of={saved} />}
      <SaveBar
        draft={draft}
        save={save}
        fields={['signature', ...list.flatMap((_, n) => [`replies.${n}.title`, `replies.${n}.body`])]}
      />
    </DraftForm>
  );
}
