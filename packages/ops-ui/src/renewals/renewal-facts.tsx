import { Button, Group, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { asProblem } from '../api/problem.ts';
import type { Renewal } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { dayOf, inOwnDays } from '../parts/dates.tsx';
import { GiveTo } from '../parts/give-to.tsx';
import { tell } from '../parts/told.tsx';
import { useWhose } from '../parts/whose.ts';
import { AlreadyWatched } from './already-watched.tsx';
import { useAssign, useRenewalChanges } from './renewal-changes.ts';
import {
  begunAnew,
  changedIn,
  type Field,
  overtaken,
  storedIn,
  useRenewalDraft,
  type Values,
  write,
} from './renewal-draft.ts';
import classes from './renewal-drawer.module.css';
import { isOpen } from './renewal-words.ts';

/** What may be changed: agent and reminders at once, what is typed when it is saved. */
export function RenewalFacts({ renewal }: { renewal: Renewal }) {
  const { change } = useRenewalChanges();
  const assign = useAssign(useAgentNames());
  const whose = useWhose(renewal);
  // Until one's own change is on the screen: the next would collide with it.
  const pending = change.isPending || assign.isPending;
  const { draft, keep, discard, saved } = useRenewalDraft(renewal.id);
  const stored = storedIn(renewal);
  const changed = changedIn(draft, stored);
  // One's own words come before the answer that says so.
  const theirs = pending ? [] : overtaken(draft, stored);
  const valuesOf = (values: Partial<Values>) =>
    Object.fromEntries(changed.map((name) => [name, values[name]?.trim() || null])) as Partial<Renewal>;
  const problem = change.error === null ? undefined : asProblem(change.error);
  const field = (name: Field) => ({
    value: draft.typed[name] ?? stored[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      keep(write(draft, stored, name, currentTarget.value)),
    error: problem?.field(name),
  });
  const save = async () => {
    const after = await change.mutateAsync({ seen: renewal, by: valuesOf(draft.typed) }).catch(() => undefined);
    if (!after) return;
    saved(draft, after);
    tell(changed.includes('due_date') ? `Due ${dayOf(after.due_date)} from now on.` : 'Saved.', () =>
      change.mutate({ seen: after, by: valuesOf(stored) }),
    );
  };
  return (
    <form
      className={classes.facts}
      onSubmit={(event) => {
        event.preventDefault();
        if (theirs.length === 0 && !pending) void save();
      }}
    >
      <TextInput type="date" label="Due date" required disabled={!isOpen(renewal)} {...field('due_date')} />
      <GiveTo
        label="Agent"
        {...whose}
        value={assign.isPending ? assign.variables.agent : renewal.assigned_agent}
        disabled={!isOpen(renewal)}
        // It keeps the focus while it can do nothing.
        aria-disabled={pending}
        onChange={(agent) => !pending && assign.mutate({ renewals: [renewal], agent })}
      />
      <TextInput label="Policy or permit" className={classes.wide} maxLength={200} {...field('policy_id')} />
      <Textarea label="Notes" className={classes.wide} autosize minRows={2} maxRows={8} {...field('notes')} />
      {problem && <AlreadyWatched problem={problem} className={classes.wide} />}
      {theirs.length > 0 ? (
        <Overtaken
          now={theirs.map((name) => inOwnDays(stored[name]) || 'nothing').join(', ')}
          mine={() => keep(begunAnew(draft, stored))}
          takeTheirs={discard}
        />
      ) : (
        changed.length > 0 && (
          <Group className={classes.wide} gap="sm">
            <Button type="submit" loading={pending}>
              Save
            </Button>
            <Button variant="subtle" color="gray" onClick={discard}>
              Discard
            </Button>
          </Group>
        )
      )}
      {isOpen(renewal) && (
        <Switch
          className={classes.wide}
          label="The customer is reminded automatically"
          checked={renewal.reminders === 'on'}
          aria-disabled={pending}
          onChange={({ currentTarget }) =>
            !pending && change.mutate({ seen: renewal, by: { reminders: currentTarget.checked ? 'on' : 'off' } })
          }
        />
      )}
    </form>
  );
}

/** Somebody else wrote where one is writing. */
function Overtaken({ now, mine, takeTheirs }: { now: string; mine(): void; takeTheirs(): void }) {
  return (
    <div className={classes.wide} role="alert">
      <Text size="sm">
        Somebody else changed this since you began; it says now: <strong>{now}</strong>. What you typed is still here
        and is not saved.
      </Text>
      <Group gap="sm" mt="sm">
        <Button size="compact-sm" variant="default" onClick={mine}>
          Keep mine
        </Button>
        <Button size="compact-sm" variant="default" onClick={takeTheirs}>
          Take theirs
        </Button>
      </Group>
    </div>
  );
}
