import { ActionIcon, Button } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconX } from '@tabler/icons-react';
import { ChannelIcon, channelNames } from '../parts/channels.tsx';
import classes from './alert-plan.module.css';
import { type Channel, moved } from './alert-plan.ts';
import { channels } from './template-names.ts';

interface FallThroughProps {
  order: readonly Channel[];
  disabled: boolean;
  write(order: Channel[]): void;
  wrong(path: string): string | undefined;
}

/** In which order another channel is looked for. */
export function FallThrough({ order, disabled, write, wrong }: FallThroughProps) {
  const left = channels.filter((channel) => !order.includes(channel));
  const name = (channel: Channel) => (
    <span className={classes.channel}>
      <ChannelIcon type={channel} /> <span aria-hidden>{channelNames[channel]}</span>
    </span>
  );
  return (
    <fieldset className={classes.part}>
      <legend>When a channel cannot be used</legend>
      <p>The next one of these is taken: there may be no address, or the customer may have opted out.</p>
      <ol className={classes.order}>
        {order.map((channel, at) => (
          <li key={channel}>
            {name(channel)}
            {!disabled && (
              <>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  disabled={at === 0}
                  onClick={() => write(moved(order, channel, -1))}
                  aria-label={`Move ${channelNames[channel]} up`}
                >
                  <IconArrowUp size={16} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  disabled={at === order.length - 1}
                  onClick={() => write(moved(order, channel, 1))}
                  aria-label={`Move ${channelNames[channel]} down`}
                >
                  <IconArrowDown size={16} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  onClick={() => write(order.filter((one) => one !== channel))}
                  aria-label={`Leave out ${channelNames[channel]}`}
                >
                  <IconX size={16} />
                </ActionIcon>
              </>
            )}
          </li>
        ))}
      </ol>
      {order.length === 0 && <p>None: what cannot be sent is not sent otherwise.</p>}
      {!disabled &&
        left.map((channel) => (
          <Button key={channel} size="compact-sm" variant="default" mr="xs" onClick={() => write([...order, channel])}>
            Add {channelNames[channel]}
          </Button>
        ))}
      {wrong('fall_through') && <p className={classes.wrong}>{wrong('fall_through')}</p>}
    </fieldset>
  );
}
