import type { RecordedEvent } from '#libs/kernel/domain';

/** The maximum number of workspaces that an error message names. */
export const MAX_SHOWN_WORKSPACES = 5;

/** The first few workspaces, which an error message lists for a user who does not know their ids. */
export class KnownWorkspaces {
  private readonly labels: string[] = [];

  /** Adds the workspace of the event if the event is a `WorkspaceCreated`. */
  observe({ type, data }: RecordedEvent): void {
    if (type !== 'WorkspaceCreated') return;
    const { workspaceId, name } = data as { workspaceId: string; name: string | null };
    this.add(workspaceId, name);
  }

  /** Adds a workspace, until there is one more than an error message names. */
  add(workspaceId: string, name: string | null = null): void {
    if (!this.isFull) this.labels.push(name === null ? workspaceId : `${workspaceId} (${name})`);
  }

  /** Tells whether more workspaces are known than an error message names. */
  get isFull(): boolean {
    return this.labels.length > MAX_SHOWN_WORKSPACES;
  }

  /** Returns a list such as `acc_1 (Northwind), acc_2`, or `no workspace`. */
  listText(): string {
    if (this.labels.length === 0) return 'no workspace';
    return `${this.labels.slice(0, MAX_SHOWN_WORKSPACES).join(', ')}${this.isFull ? ' and others' : ''}`;
  }
}
