import type { RecordedEvent } from '#libs/kernel/domain';

/** How many of them are named. */
export const SHOWN_WORKSPACES = 5;

/** Workspaces that there are, for who does not know their ids: the first few. */
export class KnownWorkspaces {
  private readonly labels: string[] = [];

  /** Adds the workspace that an event of the log tells of, if it does. */
  note({ type, data }: RecordedEvent): void {
    if (type !== 'WorkspaceCreated') return;
    const { workspaceId, name } = data as { workspaceId: string; name: string | null };
    this.add(workspaceId, name);
  }

  add(workspaceId: string, name: string | null = null): void {
    if (!this.isEnough) this.labels.push(name === null ? workspaceId : `${workspaceId} (${name})`);
  }

  /** Whether more of them would not be shown. */
  get isEnough(): boolean {
    return this.labels.length > SHOWN_WORKSPACES;
  }

  /** `acc_1 (Northwind), acc_2`, or that there is none. */
  text(): string {
    if (this.labels.length === 0) return 'no workspace';
    return `${this.labels.slice(0, SHOWN_WORKSPACES).join(', ')}${this.isEnough ? ' and others' : ''}`;
  }
}
