/** The endings of files that the Complete view opens. */
export const ACCEPT = [
  ...['.tns', '.csv', '.tsv', '.xlsx', '.txt', '.dat', '.json', '.jsonl', '.ndjson', '.gz'],
  ...['.parquet', '.arrow', '.feather', '.ipc', '.npy', '.npz'],
  ...['.mat', '.h5', '.hdf5', '.he5', '.nc', '.nc4', '.lacuna'],
].join()
