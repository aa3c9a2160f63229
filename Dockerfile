# The environment of requirements.txt and the study: docker build -t losaw .
#   docker run --rm -v "$PWD/out:/out" losaw snakemake --cores 2 --config scale=smoke studies=losaw_forest results=/out figures=/out/figures
FROM python:3.11-slim
WORKDIR /losaw
COPY requirements.txt ./
RUN python -m pip install --no-cache-dir --require-hashes -r requirements.txt
COPY . .
RUN python -m pip install --no-cache-dir --no-build-isolation --no-deps --editable . && losaw compile
ENV OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1
CMD ["snakemake", "--cores", "all"]
