import type { RecordedEvent } from '#libs/kernel/domain';

/** How many workspaces an error message names. */
export const SHOWN_WORKSPACES = 5;

/** The first few workspaces, which an error message lists for a user who does not know their ids. */
export class KnownWorkspaces {
  private readonly labels: string[] = [];

  /** Adds a workspace if the event is its `WorkspaceCreated`. */
  note({ type, data }: RecordedEvent): void {
    if (type !== 'WorkspaceCreated') return;
    const { workspaceId, name } = data as { workspaceId: string; name: string | null };
    this.add(workspaceId, name);
  }

  add(workspaceId: string, name: string | null = null): void {
    if (!this.isEnough) this.labels.push(name === null ? workspaceId : `${workspaceId} (${name})`);
  }

  /** Whether further workspaces would not be shown. */
  get isEnough(): boolean {
    return this.labels.length > SHOWN_WORKSPACES;
  }

  /** Returns a list such as `acc_1 (Northwind), acc_2`, or `no workspace`. */
  text(): string {
    if (this.labels.length === 0) return 'no workspace';
    return `${this.labels.slice(0, SHOWN_WORKSPACES).join(', ')}${this.isEnough ? ' and others' : ''}`;
  }
}
