import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StreamPostingState } from '#libs/contexts/ledger';

/** The state of an event stream that the posting rules need to post the stream's next event. */
@Entity({ schema: 'read', name: 'ledger_books' })
export class StreamPostingStateRow {
  /** The name of the event stream. */
  @PrimaryColumn('text')
  stream: string;

  @Column('jsonb')
  book: StreamPostingState;
}
