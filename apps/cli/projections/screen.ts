import type { ReadModelState, ReadSideState } from '#libs/kernel/projection';
import {
  readModelBuildErrors,
  projectorStateText,
  statusTableRows,
  formatStatusTable,
  type StatusTableRow,
} from './states.js';

/** A terminal's size in characters. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** The columns that are omitted on a narrow terminal, in this order. */
const OPTIONAL_COLUMNS = ['kept', 'size', 'version', 'seconds', 'position'] as const;
/** The minimum number of lines of a table: the headings and one read model. */
const MIN_TABLE = 2;

/**
 * Formats the read models so that they fit on one screen. If there is no room for all, one line sums up those that are left out. Live
 * read models are left out first, and of these the ones that are the least behind. The shown read models keep their order. The last line
 * has no line break, since that would scroll the screen.
 */
export function renderReadModelScreen(side: ReadSideState, { columns, rows }: ScreenSize): string {
  const cut = (line: string): string => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line);
  const ending = [
    ...readModelBuildErrors(side).slice(0, Math.max(rows - MIN_TABLE - 2, 0)),
    projectorStateText(side),
  ];
  const { shown, hidden } = rowsThatFit(side.models, rows - 1 - ending.length);
  const table = tableWithin(statusTableRows(shown), columns);
  return [...table, ...(hidden.length > 0 ? [summaryOf(hidden)] : []), ...ending].map(cut).join('\n');
}

function tableWithin(rows: readonly StatusTableRow[], columns: number): string[] {
  for (let left = 0; ; left++) {
    const lines = formatStatusTable(rows, OPTIONAL_COLUMNS.slice(0, left));
    if (left === OPTIONAL_COLUMNS.length || lines.every(({ length }) => length <= columns)) return lines;
  }
}

/** Returns as many read models as fit beside a line that sums up the others, in their order, and the other read models. */
function rowsThatFit(
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
