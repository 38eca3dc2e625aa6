import { Button, CloseButton, Group, Textarea, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { CannedReplies } from '../api/types.ts';
import { cannedFields } from '../customers/canned.ts';
import { type CannedScope, cannedQuery } from '../customers/canned-queries.ts';
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
    <Section title="My replies" words={`Found by “/” where one writes. In the words ${fieldWords.join(', ')}.`}>
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

function RepliesForm({ saved }: { saved: CannedReplies }) {
  const { scope, replies, version } = saved;
  const draft = useDraft(`replies:${scope}`, { replies }, version);
  const list = draft.value.replies;
  const save = useSave({
    draft,
    queryKey: cannedQuery(scope).queryKey,
    send: (body, header) => dataOf(api.PUT('/ops/canned-replies', { params: { query: { scope }, header }, body })),
    saved: () => tell('The replies are saved.'),
  });
  const change = (n: number, by: Partial<CannedReplies['replies'][number]>) =>
    draft.write({ replies: list.map((one, at) => (at === n ? { ...one, ...by } : one)) });
  return (
    <DraftForm className={classes.replies} draft={draft} save={save}>
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
      <SaveBar draft={draft} save={save} fields={list.flatMap((_, n) => [`replies.${n}.title`, `replies.${n}.body`])} />
    </DraftForm>
  );
}
