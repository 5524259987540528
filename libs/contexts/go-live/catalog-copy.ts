import { Conflict, deriveUuid, InvalidRequest, StateConflict, NotFound } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';

/** The types of resources that are copied, in the order in which they are copied. */
export const COPIED_TYPES = [
  'tax_rate',
  'metric',
  'price',
  'plan',
  'coupon',
  'credit_type',
  'credit_rate',
  'credit_allowance',
] as const;
export type CopiedType = (typeof COPIED_TYPES)[number];

export interface CopiedResource {
  readonly type: CopiedType;
  /** The id of the resource in the sandbox. */
  readonly sandboxId: string;
  /** The id of the copy in the live workspace. */
  readonly liveId: string;
}

export interface SkippedResource {
  readonly type: CopiedType;
  /** The id of the resource in the sandbox. */
  readonly sandboxId: string;
  /** The reason why the resource was not copied, and what the user can do. */
  readonly reason: string;
}

/** The result of the copy for each resource of the catalog. */
export interface CatalogCopyResult {
  readonly copied: readonly CopiedResource[];
  readonly skipped: readonly SkippedResource[];
}

/**
 * The copy of a catalog while it is being made. The command that copies a resource has an id that is derived from the resource. The derived
 * id ensures that each resource is copied once, with the same id, even if the whole copy is repeated.
 */
export class CatalogCopy {
  private readonly copied: CopiedResource[] = [];
  private readonly skipped: SkippedResource[] = [];
  private readonly liveIds = new Map<string, string>();

  constructor(private readonly live: CommandContext) {}

  get result(): CatalogCopyResult {
    return { copied: this.copied, skipped: this.skipped };
  }

  /**
   * Copies a resource. `create` creates the copy of the resource and returns the id of the copy. The resource is skipped if its content is
   * refused, or if it refers to a resource that was skipped. Other errors are thrown, so that the copy can be repeated.
   */
  async copyResource(
    type: CopiedType,
    sandboxId: string,
    create: (context: CommandContext) => Promise<string>,
  ): Promise<void> {
    const { commandId: causationId, workspaceId } = this.live;
    const commandId = deriveUuid('catalog copy', workspaceId, type, sandboxId);
    // Each repetition has another time, so ids cannot contain it.
    const context = { ...this.live, commandId, causationId, idTime: undefined, mayRepeat: true };
    try {
      const liveId = await create(context);
      this.liveIds.set(`${type} ${sandboxId}`, liveId);
      this.copied.push({ type, sandboxId, liveId });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.skip(type, sandboxId, error.message);
    }
  }

  skip(type: CopiedType, sandboxId: string, reason: string): void {
    this.skipped.push({ type, sandboxId, reason });
  }

  /**
   * The id of the copy of a resource. Throws InvalidRequest if the resource was not copied. A resource that refers to it is then skipped
   * too.
   */
  liveIdOf(type: CopiedType, sandboxId: string): string {
    const liveId = this.liveIds.get(`${type} ${sandboxId}`);
    if (liveId !== undefined) return liveId;
    throw new StateConflict(
      'not_copied',
      `It names the ${type.replace('_', ' ')} "${sandboxId}", which was not copied; replace it in the sandbox, or make the resource in the live workspace`,
    );
  }
}

/** Tells whether an error is about the content of the resource, so that a repeated copy would fail again. */
function isRefusal(error: unknown): error is Error {
  if (error instanceof Conflict) return error.code !== 'concurrent_modification';
  return error instanceof InvalidRequest || error instanceof NotFound;
}
