"""Serves the work of a team at one of ten steps, with Django and a dict:

python3 testing/trial/django_service.py --step 3 --port 0 --models models.json
"""

import argparse
import json
import logging
import math
import re
import sys
import threading
from datetime import date, datetime, timezone

import django
from django.conf import settings
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from django.http import Http404, JsonResponse
from django.urls import path
from django.views import View

parser = argparse.ArgumentParser()
parser.add_argument("--step", type=int, required=True)
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--models", required=True)
flags = parser.parse_args()
step = flags.step

with open(flags.models, encoding="utf-8") as file:
    plan = json.load(file)
models = {model["name"]: model for model in plan["models"]}
tables = {name: {} for name in models}
lock = threading.Lock()


class Refusal(Exception):
    """An error response, which the view writes."""

    def __init__(self, status, title, violations=()):
        super().__init__(title)
        self.status = status
        self.violations = list(violations)

    def response(self):
        body = {"type": "about:blank", "title": str(self), "status": self.status, "violations": self.violations}
        return JsonResponse(body, status=self.status, content_type="application/problem+json")


class ModelView(View):
    """Handles one request at a time, because the tables are shared."""

    def dispatch(self, request, name, **kwargs):
        if name not in models or (step < 9 and name not in plan["first"]):
            raise Http404
        self.model = models[name]
        if self.model["readOnly"]:
            self.http_method_names = ["get"]
        with lock:
            try:
                return super().dispatch(request, **kwargs)
            except Refusal as refusal:
                return refusal.response()

    def http_method_not_allowed(self, request, **kwargs):
        response = Refusal(405, f"{request.path} has no {request.method}").response()
        response["Allow"] = ", ".join(self._allowed_methods())
        return response


class ListView(ModelView):
    def get(self, request):
        rows, total = find_all(self.model, request.GET)
        response = JsonResponse([show(self.model, row) for row in rows], safe=False)
        response["X-Total-Count"] = total
        return response


class CreateView(ListView):
    def post(self, request):
        row = create(self.model, accept(self.model, request, "create"))
        return JsonResponse(show(self.model, row), status=201)


class RecordView(ModelView):
    def get(self, request, record):
        return JsonResponse(show(self.model, find(self.model, record, with_deleted=True)))

    def change(self, request, record):
        row = find(self.model, record)
        update(self.model, row, accept(self.model, request, "update"))
        return JsonResponse(show(self.model, row))


class PutView(RecordView):
    def put(self, request, record):
        return self.change(request, record)


class UpdateView(RecordView):
    def post(self, request, record):
        return self.change(request, record)


class DeleteView(UpdateView):
    def delete(self, request, record):
        row = find(self.model, record)
        remove(self.model, row)
        return JsonResponse(show(self.model, row))


def find(model, record, with_deleted=False):
    row = tables[model["name"]].get(int(record)) if re.fullmatch(r"[1-9]\d*", record, re.ASCII) else None
    if row is None or (row.get("deleted") and not with_deleted):
        raise Refusal(404, f"There is no {model['name']} {record}")
    return row


def find_all(model, query):
    names = [field["name"] for field in model["fields"]]
    filters = {name: value for name, value in query.items() if name not in ("limit", "offset", "sort")}
    sort = query.get("sort", "id")
    by = sort[1:] if sort.startswith("-") else sort
    unknown = [name for name in [*filters, by] if name not in names]
    if unknown:
        raise Refusal(422, "A parameter is unknown", faults(unknown, "is unknown"))
    start = read_number("offset", query.get("offset"), 0)
    most = min(read_number("limit", query.get("limit"), 100), 500)
    rows = [
        row
        for row in tables[model["name"]].values()
        if not row.get("deleted") and all(as_text(row.get(name)) == value for name, value in filters.items())
    ]
    rows.sort(key=lambda row: sort_key(row.get(by)), reverse=sort.startswith("-"))
    return rows[start : start + most], len(rows)


def as_text(value):
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":")).strip("[]")


def sort_key(value):
    if value is None:
        return (0, 0)
    return (1, value) if isinstance(value, (bool, int, float)) else (1, as_text(value))


def read_number(name, text, otherwise):
    if text is None:
        return otherwise
    if re.fullmatch(r"\d{1,9}", text, re.ASCII):
        return int(text)
    raise Refusal(422, "A parameter is invalid", faults([name], "is not a whole number"))


def accept(model, request, on):
    """Returns the writable values of a request; raises a Refusal for invalid ones."""
    try:
        body = json.loads(request.body) if request.content_type == "application/json" else None
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise Refusal(400, "The body is not a JSON object")
    found = find_faults(model, body, on)
    if found:
        raise Refusal(422, "The body is invalid", found)
    values = {}
    for field in model["fields"]:
        name = field["name"]
        place = f"{model['name']}.{name}"
        is_overwritten = step == 7 and on == "update" and place == plan["overwritten"]
        if name in body and (not field["readonly"] or is_overwritten):
            is_cut = step == 6 and place == plan["cut"] and body[name] is not None
            values[name] = body[name][:20] if is_cut else body[name]
    return values


def find_faults(model, body, on, parent=None):
    names = [field["name"] for field in model["fields"]]
    unknown = [name for name in body if name not in names]
    wrong = []
    for field in model["fields"]:
        name = field["name"]
        if field["readonly"] or name == parent:
            continue
        if name not in body:
            is_wrong = field["required"] and on == "create"
        elif body[name] is None:
            is_wrong = field["required"]
        else:
            is_wrong = not is_valid(model, field, body[name])
        if is_wrong:
            wrong.append(name)
    return [*faults(unknown, "is unknown"), *faults(wrong, "is missing or invalid")]


def faults(names, message):
    return [{"pointer": f"/{name}", "message": message} for name in names]


TIMES = {
    "time": r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d",
    "duration": r"P(?=.)(\d+[YMWD])*(T(\d+[HMS])+)?",
    "date": r"\d{4}-\d\d-\d\d",
    "datetime": r"\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)",
}


def is_valid(model, field, value):
    kind = field["type"]
    if "values" in field:
        return any(type(member) is type(value) and member == value for member in field["values"])
    if kind == "int":
        return is_int(value)
    if kind in ("float", "currency", "percent"):
        return is_int(value) or (isinstance(value, float) and math.isfinite(value))
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "daysOfWeek":
        return isinstance(value, list) and all(is_int(day) and 1 <= day <= 7 for day in value)
    if kind == "manyToMany":
        return isinstance(value, list) and all(is_int(item) for item in value)
    if kind == "lines":
        line = models[field["lines"]]
        return isinstance(value, list) and all(
            isinstance(item, dict) and not find_faults(line, item, "create", model["name"]) for item in value
        )
    if not isinstance(value, str):
        return False
    if kind not in TIMES:
        return True
    return bool(re.fullmatch(TIMES[kind], value, re.ASCII)) and (not kind.startswith("date") or is_day(value[:10]))


def is_int(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_day(text):
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def now():
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def create(model, values):
    table = tables[model["name"]]
    row = {field["name"]: initial(field) for field in model["fields"] if field["readonly"] and field["required"]}
    row.update(id=len(table) + 1, created=now(), createUser=1, updateUser=1, deleted=False)
    table[row["id"]] = row
    update(model, row, values)
    return row


def initial(field):
    """Returns a value for a required field that no client sends."""
    if "values" in field:
        return field["values"][0]
    return 0 if field["type"] in ("int", "float", "currency") else f"{field['name']} of the service"


def update(model, row, values):
    lines = line_models(model)
    for name, value in values.items():
        if name not in lines:
            row[name] = value
            continue
        line = lines[name]
        for old in lines_of(model, line, row):
            old["deleted"] = True
        writable = [field["name"] for field in line["fields"] if not field["readonly"]]
        for item in value:
            own = {key: item[key] for key in writable if key in item}
            create(line, {**own, model["name"]: row["id"]})
    row["updated"] = now()


def remove(model, row):
    row["deleted"] = True
    for line in line_models(model).values():
        for item in lines_of(model, line, row):
            item["deleted"] = True


def line_models(model):
    return {field["name"]: models[field["lines"]] for field in model["fields"] if "lines" in field}


def lines_of(parent, line, row):
    rows = tables[line["name"]].values()
    return [item for item in rows if not item["deleted"] and item.get(parent["name"]) == row["id"]]


def show(model, row):
    lines = line_models(model)
    shown = {}
    for field in model["fields"]:
        name = field["name"]
        if name in lines:
            shown[name] = [show(lines[name], item) for item in lines_of(model, lines[name], row)]
        else:
            shown[name] = row.get(name)
        if step == 9 and f"{model['name']}.{name}" == plan["mistyped"] and shown[name] is not None:
            shown[name] = str(shown[name])
    return shown


RECORD_VIEWS = {2: RecordView, 3: RecordView, 4: PutView, 5: UpdateView}
urlpatterns = [
    path("api/model/<str:name>", (ListView if step == 2 else CreateView).as_view()),
    path("api/model/<str:name>/<str:record>", RECORD_VIEWS.get(step, DeleteView).as_view()),
]
if step == 1:
    urlpatterns = []
for model in models.values():
    if model["readOnly"]:
        # No client can create these.
        create(model, {"type": 1})


class Handler(WSGIRequestHandler):
    # One packet for the status, the headers, and the body.
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, *args):
        pass


settings.configure(
    ALLOWED_HOSTS=["*"],
    APPEND_SLASH=False,
    LOGGING_CONFIG=None,
    # It adds the Content-Length, without which each response closes its connection.
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="trial",
)
logging.disable(logging.CRITICAL)
django.setup()
server = ThreadedWSGIServer(("127.0.0.1", flags.port), Handler)
server.set_app(get_wsgi_application())
print(f"http://127.0.0.1:{server.server_port}", flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    sys.exit(130)
