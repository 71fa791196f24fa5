"""Reads tables as docs/data.md describes, by Python's own csv, json and datetime: a line of JSON names the
files and options of a table, the line that answers has its labels and entries."""
import csv, datetime, gzip, json, math, re, struct, sys

MARKS = {'', 'n/a', 'na', 'null', 'none', '-', '?'}
UTC = datetime.timezone.utc


def rows_of(path, delimiter):
    """The rows of a file, as dictionaries of texts; None where a cell is missing."""
    with (gzip.open if path.endswith('.gz') else open)(path, 'rt', newline='', encoding='utf-8-sig') as file:
        if '.ndjson' in path:
            return [json.loads(line) for line in file.read().split('\n') if line.strip()]
        return json.load(file) if '.json' in path else list(csv.DictReader(file, delimiter=delimiter))


def number(text, decimal):
    return float(text.replace(',', '.') if decimal == ',' else text)


def single(x):
    return struct.unpack('f', struct.pack('f', x))[0]


def time_of(text):
    time = datetime.datetime.fromisoformat(text.strip())
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


def time_text(time):
    return time.strftime('%Y-%m-%d %H:%M:%S') + (f'.{time.microsecond:06}'.rstrip('0') if time.microsecond else '')


def bin_of(binning, text, decimal):
    if binning == 'bins(5)':
        return int(number(text, decimal) // 5 * 5)
    time = time_of(text)
    day = time.date()
    return {
        'year': day.year,
        'month': f'{day.year:04}-{day.month:02}',
        'week': str(day - datetime.timedelta(days=day.weekday())),
        'day': str(day),
        'hour': time.hour,
        'weekday': day.isoweekday(),
    }[binning]


def decimal_text(x):
    return re.sub(r'e([-+])0*', r'e\1', repr(x + 0.0))


def labels_of(texts, keeps_text, keeps_zones, decimal):
    """The labels of distinct texts: whole numbers, decimals, truth values, dates or times if all are such, else
    texts. Of texts in quotes, numbers are such only if nothing is lost."""
    numbers = [text.replace(',', '.', 1) if decimal == ',' else text for text in texts]
    whole = all(re.fullmatch(r'\s*[-+]?(0|[1-9]\d*)\s*', text) for text in numbers)
    if whole and all(str(int(text)) == text for text in texts if keeps_text):
        return {text: int(text) for text in texts}
    decimals = all(re.fullmatch(r'\s*[-+]?((0|[1-9]\d*)(\.\d*)?|\.\d+)(e[-+]?\d+)?\s*', text, re.I) for text in numbers)
    if decimals and all(decimal_text(float(plain)) == text for text, plain in zip(texts, numbers) if keeps_text):
        return {text: float(plain) + 0.0 for text, plain in zip(texts, numbers)}
    if all(text.lower() in ('true', 'false') for text in texts):
        return {text: text.lower() for text in texts}
    try:
        if all(re.fullmatch(r'\d{4}-\d\d-\d\d', text) for text in texts):
            return {text: str(datetime.date.fromisoformat(text)) for text in texts}
        if all(re.match(r'\s*\d{4}-\d\d-\d\d', text) for text in texts):
            if keeps_zones and all(datetime.datetime.fromisoformat(text.strip()).tzinfo for text in texts):
                # Times with zones are as they are written; of the same instant, the first in order.
                return {text: min(other for other in texts if time_of(other) == time_of(text)) for text in texts}
            return {text: time_text(time_of(text)) for text in texts}
    except ValueError:
        pass
    return {text: text for text in texts}


def order_of(label):
    """What labels are sorted by: those with zones by the instant."""
    is_zoned = isinstance(label, str) and re.fullmatch(r'\s*\d{4}-\d\d-\d\d[ T][\d:.]+(Z|[-+]\d\d:\d\d)\s*', label)
    return time_of(label).timestamp() if is_zoned else label


def text_of(cell):
    """A cell as text; of JSON, a whole number has no point."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return cell if isinstance(cell, str) or cell is None else json.dumps(cell)


def read(table):
    decimal, merge = table.get('decimal', '.'), table['merge']
    rows = [row for path in table['files'] for row in rows_of(path, table.get('delimiter'))]
    if table.get('melt'):
        fixed = [mode['column'] for mode in table['modes'] if mode['column'] != table['melt']]
        rows = [{**{c: row[c] for c in fixed}, table['melt']: name, 'value': cell}
                for row in rows for name, cell in row.items() if name not in fixed]
    found = []
    for row in rows:
        cells = [text_of(row.get(mode['column'])) for mode in table['modes']]
        value = text_of(row.get(table['value'])) if table.get('value') else '1'
        weight = text_of(row.get(table['weight'])) if table.get('weight') else '1'
        if any(cell is None or cell == '' for cell in cells) or any(
            cell is None or cell.strip().lower() in MARKS for cell in (value, weight)):
            continue
        x = 1.0 if merge == 'count' else single(number(value, decimal))
        w = single(number(weight, decimal))
        if w > 0:
            found.append((cells, max(0.0, x) if table.get('negative') == 'clip' else x, w))
    labels, order = [], []
    for m, mode in enumerate(table['modes']):
        texts = list(dict.fromkeys(cells[m] for cells, _, _ in found))
        if mode.get('binning'):
            named = {text: bin_of(mode['binning'], text, decimal) for text in texts}
        else:
            is_string = any(isinstance(row.get(mode['column']), str) for row in rows)
            # SQL has all times in UTC.
            keeps_zones = not table.get('query')
            named = labels_of(texts, is_string if table['json'] else mode['quoted'], keeps_zones, decimal)
        labels.append(named)
        order.append(sorted(set(named.values()), key=order_of))
    cells_of = {}
    for cells, x, w in found:
        cells_of.setdefault(tuple(labels[m][cell] for m, cell in enumerate(cells)), []).append((x, w))
    entries = []
    for cell, seen in cells_of.items():
        total = math.fsum(x * w for x, w in seen)
        weight = math.fsum(w for _, w in seen)
        x = {'mean': total / weight, 'last': seen[-1][0], 'error': seen[0][0]}.get(merge, total)
        w = seen[-1][1] if merge == 'last' else weight
        entries.append([[order[m].index(label) for m, label in enumerate(cell)], single(x), single(w)])
    return {'labels': order, 'entries': sorted(entries)}


for line in sys.stdin:
    try:
        print(json.dumps(read(json.loads(line))), flush=True)
    except Exception as error:
        print(json.dumps({'error': repr(error)}), flush=True)
