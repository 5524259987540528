import { translatedName, type Language } from '#libs/kernel/core';
import type { Dimension, InvoiceLine, LineType } from './invoice-line.js';

/** The notes that are added to the name of a charge in a line's description. */
const NOTES = {
  partial: 'part of the period',
  unused: 'unused part of the period',
  together: 'all groups together',
  minimum: 'up to the minimum',
  late: 'late usage',
  commitment: 'up to the minimum commitment',
  lateCommitment: 'minimum commitment, late usage',
  invoiced: 'already invoiced',
  overage: 'beyond the prepaid credits',
  purchase: 'prepaid credits',
} as const;

/** The key of a note that is added to the name of a charge in a line description. */
export type LineNote = keyof typeof NOTES;

/**
 * The notes that lines of each type can have. If a user names a fee `Seats (late usage)`, `(late usage)` therefore stays a part of the
 * name.
 */
const NOTES_OF: Record<LineType, readonly LineNote[]> = {
  usage: ['together'],
  flat: ['partial'],
  one_time: ['partial'],
  credit: ['unused'],
  minimum: ['minimum', 'commitment', 'lateCommitment'],
  manual: [],
  late_usage: ['late'],
  progressive_credit: ['invoiced'],
  credit_purchase: ['purchase'],
  overage: ['overage'],
};

/** Returns the description of a line, such as `Seats (unused part of the period)`. */
export function describeLine(name: string, note: LineNote): string {
  return name + suffix(note);
}

/**
 * Divides a line's description into the name, the values of a usage group, such as `haiku · in`, and the note. `values` is null if the line
 * has no group, and `note` is null if the description contains none.
 */
export function readLineDescription({
  type,
  description,
  group,
  dimensions,
}: Pick<InvoiceLine, 'type' | 'description' | 'group' | 'dimensions'>): {
  name: string;
  values: string | null;
  note: LineNote | null;
} {
  const ofGroup = ` (${group})`;
  if (dimensions && description.endsWith(ofGroup))
    return { name: description.slice(0, -ofGroup.length), values: dimensionsText(dimensions), note: null };
  const note = NOTES_OF[type].find((one) => description.endsWith(suffix(one))) ?? null;
  const name = note ? description.slice(0, -suffix(note).length) : description;
  return { name, values: null, note };
}

/** Returns the description of a line with the name of its charge in a language. The note stays as it is. */
export function translatedDescription(line: InvoiceLine, language: Language): string {
  const { name } = readLineDescription(line);
  return translatedName(name, line.nameTranslations, language) + line.description.slice(name.length);
}

/** The values of a usage group as they are printed, such as `haiku · in`. A dash stands for a property that the events do not have. */
export function dimensionsText(dimensions: readonly Dimension[]): string {
  return dimensions.map(({ value }) => value ?? '–').join(' · ');
}

function suffix(note: LineNote): string {
  return ` (${NOTES[note]})`;
}
