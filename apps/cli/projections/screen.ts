import type { ReadModelState, ReadSideState } from '#libs/kernel/projection';
import { errorsOf, projectorText, rowsOf, tableOf, type Row } from './states.js';

/** A terminal's size in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** What a narrow terminal does without, in this order. */
const DISPENSABLE = ['kept', 'size', 'version', 'seconds', 'position'] as const;
/** Lines of a table that is no table without them: its headings and a read model. */
const MIN_TABLE = 2;

/**
 * The read models on one screen: no line is wider, and there are no more lines than fit. Read models that there is no room for are summed
 * up in one line; those that need a look are shown before them. The last line has no end, which would scroll.
 */
export function screenOf(side: ReadSideState, { columns, rows }: ScreenSize): string {
  const cut = (line: string): string => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line);
  const ending = [...errorsOf(side).slice(0, Math.max(rows - MIN_TABLE - 2, 0)), projectorText(side)];
  const { shown, hidden } = fitting(side.models, rows - 1 - ending.length);
  const table = tableWithin(rowsOf(shown), columns);
  return [...table, ...(hidden.length > 0 ? [summaryOf(hidden)] : []), ...ending].map(cut).join('\n');
}

function tableWithin(rows: readonly Row[], columns: number): string[] {
  for (let left = 0; ; left++) {
    const lines = tableOf(rows, DISPENSABLE.slice(0, left));
    if (left === DISPENSABLE.length || lines.every(({ length }) => length <= columns)) return lines;
  }
}

/** As many as there is room for, with a line that sums up the others; in their order. */
function fitting(
  models: readonly ReadModelState[],
  room: number,
): { shown: readonly ReadModelState[]; hidden: readonly ReadModelState[] } {
  if (models.length <= room) return { shown: models, hidden: [] };
  const first = [...models].sort((a, b) => Number(isLive(a)) - Number(isLive(b)) || behind(b) - behind(a));
  const shown = new Set(first.slice(0, Math.max(room - 1, 1)));
  return {
    shown: models.filter((model) => shown.has(model)),
    hidden: models.filter((model) => !shown.has(model)),
  };
}

function summaryOf(hidden: readonly ReadModelState[]): string {
  const notLive = hidden.filter((model) => !isLive(model)).length;
  const most = Math.max(...hidden.map(behind)).toLocaleString('en');
  return `… and ${hidden.length} more: ${notLive === 0 ? 'all live' : `${notLive} not live`}, at most ${most} behind`;
}

function isLive({ version, ownVersion, isCurrent, builds }: ReadModelState): boolean {
  return version === ownVersion && isCurrent && builds.length === 0;
}

function behind({ lag }: ReadModelState): number {
  return lag.positions;
}
