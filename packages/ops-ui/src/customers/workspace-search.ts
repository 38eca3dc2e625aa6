const tabs = ['communications', 'timeline'] as const;
export type WorkspaceTab = (typeof tabs)[number];

/** Which part of the workspace an address shows; without one, the communications. */
export function workspaceSearch(search: Record<string, unknown>): { tab?: WorkspaceTab } {
  const tab = tabs.find((one) => one === search.tab && one !== 'communications');
  return tab ? { tab } : {};
}
