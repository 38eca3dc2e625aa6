const views = ['mine', 'nobody', 'all', 'snoozed'] as const;
export type WaitingView = (typeof views)[number];
const channels = ['MESSAGING_APP', 'EMAIL', 'SMS'] as const;
export type WaitingChannel = (typeof channels)[number];

/** Which of those who wait an address shows; without anything, one's own. */
export interface WaitingSearch {
  view?: WaitingView;
  channel?: WaitingChannel;
}

const channelIn = ({ channel }: Record<string, unknown>) => {
  const known = channels.find((one) => one === channel);
  return { ...(known && { channel: known }) };
};

export function waitingSearch(search: Record<string, unknown>): WaitingSearch {
  const view = views.find((one) => one === search.view && one !== 'mine');
  return { ...(view && { view }), ...channelIn(search) };
}

/** Through which of them somebody goes, one customer after the other. */
export interface QueueSearch {
  queue?: WaitingView;
  channel?: WaitingChannel;
}

export function queueSearch(search: Record<string, unknown>): QueueSearch {
  const queue = views.find((one) => one === search.queue);
  return queue ? { queue, ...channelIn(search) } : {};
}
