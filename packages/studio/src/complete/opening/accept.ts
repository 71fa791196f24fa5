/** The endings of files that the Complete view opens. */
export const ACCEPT = '.tns,.csv,.tsv,.xlsx,.txt,.dat,.json,.jsonl,.ndjson,.parquet,.npy,.npz,.gz,.lacuna'
