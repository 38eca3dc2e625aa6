import { ActionIcon, Button, Checkbox, NativeSelect, NumberInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { channelNames } from '../parts/channels.tsx';
import { dayOf } from '../parts/dates.tsx';
import { daysAfter } from '../parts/days.ts';
import { deedInWords } from '../renewals/outreach-words.ts';
import { type Rung, rungInWords, rungs } from '../renewals/rung-names.ts';
import { priorities } from '../tasks/task.ts';
import classes from './alert-plan.module.css';
import { followedBy, type OutreachStep, type Plan, withStep } from './alert-plan.ts';
import { channels } from './template-names.ts';

interface OutreachStepsProps {
  steps: Plan['steps'];
  disabled: boolean;
  /** The firm's day, from which the dates of the preview are counted. */
  today: string;
  write(steps: Plan['steps']): void;
  wrong(path: string): string | undefined;
}

const mostSteps = 6;
const taskOptions = [
  { value: '', label: 'No call' },
  ...priorities.map((one) => ({ value: one, label: `Call, ${one}` })),
];

/** What follows the alert of each rung while the customer says nothing. */
export function OutreachSteps({ steps, disabled, today, write, wrong }: OutreachStepsProps) {
  const change = (rung: Rung, outreach: readonly OutreachStep[]) =>
    write({ ...steps, [rung]: { ...steps[rung], outreach: [...outreach] } });
  return (
    <fieldset className={classes.part}>
      <legend>While the customer says nothing</legend>
      <p>
        Steps follow an alert until the customer answers, somebody starts or looks after the renewal, its date is moved,
        it is over, or the next rung is reached. A step is one message, by the first channel that can be used.
      </p>
      {rungs.map((rung) => {
        const { outreach } = steps[rung];
        return (
          <section key={rung} aria-label={`After ${rungInWords(rung)}`} className={classes.outreach}>
            <strong>After {rungInWords(rung)}</strong>
            {outreach.map((step, n) => (
              <div key={n} className={classes.outreachStep}>
                {disabled ? (
                  `${step.after_days} days later: ${deedInWords(step)}`
                ) : (
                  <StepFields
                    name={`step ${n + 1} after ${rungInWords(rung)}`}
                    step={step}
                    write={(by) => change(rung, withStep(outreach, n, by))}
                    remove={() => change(rung, outreach.toSpliced(n, 1))}
                  />
                )}
                {(['after_days', 'channels'] as const).map((field) => {
                  const problem = wrong(`steps.${rung}.outreach.${n}.${field}`);
                  return (
                    problem && (
                      <p key={field} className={classes.wrong}>
                        {problem}
                      </p>
                    )
                  );
                })}
              </div>
            ))}
            {outreach.length > 0 && (
              <p>
                An alert of {dayOf(today)} would be followed on{' '}
                {followedBy(outreach)
                  .map(({ after_days, does }) => `${dayOf(daysAfter(today, after_days))} (${does})`)
                  .join(', ')}
                .
              </p>
            )}
            {outreach.length === 0 && <p>Nothing until the next rung.</p>}
            {!disabled && outreach.length < mostSteps && (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => change(rung, [...outreach, nextAfter(outreach)])}
                aria-label={`Add a step after ${rungInWords(rung)}`}
              >
                Add a step
              </Button>
            )}
          </section>
        );
      })}
    </fieldset>
  );
}

const nextAfter = (outreach: readonly OutreachStep[]): OutreachStep => ({
  after_days: (outreach.at(-1)?.after_days ?? 0) + 7,
  channels: ['EMAIL'],
  task: null,
});

interface StepFieldsProps {
  name: string;
  step: OutreachStep;
  write(by: Partial<OutreachStep>): void;
  remove(): void;
}

function StepFields({ name, step: { after_days, channels: chosen, task }, write, remove }: StepFieldsProps) {
  return (
    <div className={classes.outreachFields}>
      <NumberInput
        size="xs"
        w={110}
        min={1}
        max={365}
        allowDecimal={false}
        suffix=" days later"
        value={after_days}
        onChange={(days) => write({ after_days: Number(days) || 1 })}
        aria-label={`Days until ${name}`}
      />
      {channels.map((channel) => (
        <Checkbox
          key={channel}
          size="xs"
          label={channelNames[channel]}
          checked={chosen.includes(channel)}
          onChange={() =>
            write({
              channels: chosen.includes(channel) ? chosen.filter((one) => one !== channel) : [...chosen, channel],
            })
          }
          aria-label={`${channelNames[channel]} in ${name}`}
        />
      ))}
      <NativeSelect
        size="xs"
        value={task ?? ''}
        onChange={({ currentTarget }) => write({ task: (currentTarget.value || null) as OutreachStep['task'] })}
        data={taskOptions}
        aria-label={`Call in ${name}`}
      />
      <ActionIcon variant="subtle" color="gray" onClick={remove} aria-label={`Take out ${name}`}>
        <IconX size={16} />
      </ActionIcon>
    </div>
  );
}
