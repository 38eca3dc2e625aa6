import { Button, Group, Text } from '@mantine/core';
import type { CustomerDetail } from '../api/types.ts';
import { AnsweredLine } from './answered.tsx';
import { type Kind, leavesTheFirm } from './compose.ts';
import { ComposeFields } from './compose-fields.tsx';
import classes from './composer.module.css';
import { Hint, RoomLeft, Told } from './composer-hints.tsx';
import { AddFiles, FileList, takesFiles } from './file-list.tsx';
import { Inserting, useInserting } from './inserting.tsx';
import { KindChoice } from './kind-choice.tsx';
import { Earlier, Later } from './later.tsx';
import { NotInLog } from './not-in-log.tsx';
import type { Outgoing } from './outgoing.ts';
import { SignatureLine } from './signature-line.tsx';
import { TemplateSelect } from './template-select.tsx';
import { useComposer } from './use-composer.ts';

const verbs: Record<Kind, string> = {
  MESSAGING_APP: 'Send',
  EMAIL: 'Send e-mail',
  SMS: 'Send SMS',
  INTERNAL_NOTE: 'Keep note',
  CALL_LOG: 'Log call',
};

interface ComposerProps {
  customer: CustomerDetail;
  /** What the customer is to have was handed over, or a call with them written down. */
  sent?: ((one: Outgoing) => void) | undefined;
}

export function Composer({ customer, sent }: ComposerProps) {
  const composer = useComposer(customer, sent);
  const { kind, draft, write, files, field, mayNot } = composer;
  const inserting = useInserting(composer);
  return (
    <section
      className={classes.composer}
      data-kind={kind}
      aria-label="Write"
      onKeyDown={composer.sendByKeys}
      {...takesFiles(files.add)}
    >
      <NotInLog customer={customer} edit={composer.change} />
      <Group justify="space-between" gap="sm">
        <KindChoice customer={customer} kind={kind} choose={composer.choose} write={() => field.current?.focus()} />
        <Hint kind={kind} customer={customer} openUntil={composer.openUntil} />
      </Group>
      <TemplateSelect choice={composer.template} body={draft.body} />
      <AnsweredLine answered={composer.answered} customer={customer} drop={composer.letGo} />
      <ComposeFields
        kind={kind}
        draft={draft}
        write={write}
        onKeyDown={composer.onKeyDown}
        field={field}
        ask={inserting.open}
      />
      <Inserting {...inserting} customer={customer} />
      <SignatureLine {...composer.signature} />
      <Told kind={kind} draft={draft} />
      <FileList {...files.list} />
      <Group justify="flex-end" gap="md">
        <AddFiles add={files.add} obstacle={files.obstacle} />
        {inserting.sign && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            onClick={inserting.open}
            aria-keyshortcuts={inserting.sign}
          >
            {inserting.sign === '@' ? 'Mention' : 'Replies'}
          </Button>
        )}
        {leavesTheFirm(kind) && <Later {...composer.later} />}
        {kind === 'CALL_LOG' && <Earlier {...composer.earlier} />}
        <RoomLeft {...composer.room} />
        <Text size="xs" c="var(--composer-quiet)" className={classes.keys}>
          Ctrl or Cmd and Enter sends
        </Text>
        <Button
          onClick={composer.go}
          disabled={mayNot !== null}
          color={kind === 'INTERNAL_NOTE' ? 'yellow' : undefined}
        >
          {verbs[kind]}
          {composer.later.value !== null && ' later'}
        </Button>
      </Group>
    </section>
  );
}
